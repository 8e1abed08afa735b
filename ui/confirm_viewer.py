"""Asks the person whether a changed command may open documents: ``LANGUAGE COMMAND``.

It is a process of the launcher's own, so that code which took over the window cannot answer. The
exit status is 0 for yes.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMessageBox

from ui.application import make_application, use_language


def question(command: str) -> QMessageBox:
    """Make the dialog, in which only the first button says yes."""
    text = QCoreApplication.translate(
        "ConfirmViewer", "The setting “Viewer” was changed. Open documents with this command?"
    )
    box = QMessageBox(QMessageBox.Icon.Question, "Lectern", f"{text}\n\n{command}")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No)
    box.setDefaultButton(QMessageBox.StandardButton.No)
    return box


def main() -> int:
    """Ask, and return the exit status."""
    language, command = sys.argv[1:]
    use_language(make_application(), language)
    return 0 if question(command).exec() == QMessageBox.StandardButton.Yes else 1


if __name__ == "__main__":
    sys.exit(main())
