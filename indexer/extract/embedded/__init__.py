"""Embedded documents: attachments of mails and members of archives.

It takes a document that contains others, and gives their pages, under their names as headings,
within one budget. It must not know mails. Open ``attachments`` first.
"""
