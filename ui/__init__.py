"""The window: Qt widgets and models over the engine's protocol.

In: answers of the engine, and images and texts of the render child. Out: requests to both. It must
not know ``app``, and of ``indexer`` only the rooms ``api``, ``query`` and ``confine``. Open
``main_window`` and ``pages`` first; ``ports`` has the interfaces that every part gets.
"""
