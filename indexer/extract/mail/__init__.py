"""Mail: single messages, mailboxes, and messages of Outlook.

In: a mail. Out: its text as a person reads it, and what is attached to it
(``indexer.extract.embedded``). Open ``message`` first.
"""
