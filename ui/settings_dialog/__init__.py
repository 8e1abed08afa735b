"""The settings as a dialog, made from their declarations.

In: ``ports.SettingsPort``. Out: changed settings. It must not know single settings. Open ``dialog``
first.
"""
