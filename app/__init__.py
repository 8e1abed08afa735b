"""Entry points: the command line, the composition roots, settings and paths.

In: command lines and the settings file. Out: exit statuses, text, an engine or a window. No other
package uses it. Open ``cli`` first, then the ``cli_`` module of a command.
"""
