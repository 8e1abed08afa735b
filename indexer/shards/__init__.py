"""Publishes libraries to object storage as copies named by their content, and pulls them.

It copies the folder of a closed library to a URI, or back, completely or not at all, and owns all
objects below the URI. It must not know how documents are read, embedded or searched, nor that
processes are confined. Open ``exchange`` first. Only ``object_store`` uses the client, obstore,
which is imported when a URI is opened.
"""
