"""Libraries on object storage: whole copies of them, named by their content, and who has which.

In: the folder of a closed library, or the URI of a published one. Out: the other of the two,
complete or not at all. It owns what lies below the URI. It must not know how documents are read,
embedded or searched, nor that processes are confined. Open ``exchange`` first; ``object_store`` is
the one module that knows the client, obstore, which is imported when a URI is opened.
"""
