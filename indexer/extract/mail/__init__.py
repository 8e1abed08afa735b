"""Mail: single messages, mailboxes, and messages of Outlook.

It takes a mail, and gives its text and its attachments (``indexer.extract.embedded``). Open
``message`` first.
"""
