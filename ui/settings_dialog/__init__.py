"""The settings as a dialog, made from their declarations.

In: ``ports.SettingsPort``. Out: changed settings. It must not know any setting by its name. Open
``dialog`` first.
"""
