"""Opens a document outside from a process that is confined like the window.

``python -m tests.e2e.drive_opening DOCUMENT PORT`` prints whether it was confined, whether it could
reach a port itself, and the notices.
"""

from __future__ import annotations

import json
import socket
import sys

from app import confined


def main() -> None:
    confined.begin(confined.WINDOW, offline=True)
    from PySide6.QtCore import QProcess
    from PySide6.QtTest import QTest

    from app import paths
    from app.settings import Settings
    from tests.ui.library.port import CannedLink
    from tests.ui.notices import RecordedNotices
    from tests.ui.search.hits import hit
    from ui.application import make_application
    from ui.desktop import open_external
    from ui.ports import Context

    document, port = sys.argv[1:]
    app = make_application()
    said = RecordedNotices()
    context = Context(
        CannedLink(), Settings(), said, paths.window_folder(), paths.default_library()
    )
    open_external(hit(document, start=600), context)
    while app.findChildren(QProcess):
        QTest.qWait(20)
    print(json.dumps({"reached": reaches(int(port)), "said": said.texts}))


def reaches(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
