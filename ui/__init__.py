"""The window: Qt widgets and models over the engine's protocol."""
