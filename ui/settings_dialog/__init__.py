"""The settings as a dialog, made from their declarations."""
