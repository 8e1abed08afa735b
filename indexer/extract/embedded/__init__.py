"""Documents inside documents: what is attached to mails and packed in archives.

In: a document that holds others. Out: their pages within its own, each under its name, all under
one budget. Open ``attachments`` first.
"""
