"""Embedded documents: attachments of mails and members of archives.

In: a document that contains others. Out: their pages, under their names as headings, within one
budget. Must not know mails. Open ``attachments`` first.
"""
