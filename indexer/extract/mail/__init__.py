"""Mail: single messages, mailboxes, and messages of Outlook.

In: a mail. Out: its text and its attachments (``indexer.extract.embedded``). Open ``message``
first.
"""
