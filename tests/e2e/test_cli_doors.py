"""``lectern doors``: what other programs may see is shown, allowed and denied."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.e2e.conftest import Lectern


def test_doors_are_opened_and_closed(lectern: Lectern) -> None:
    assert lectern("doors").stdout.count("closed") == 3
    said = lectern("doors", "allow", "mcp", "Contracts", status=2).stderr
    assert "There is no collection Contracts. [unknown_collection]" in said
    assert "the whole library" in lectern("doors", "allow", "mcp", "--everything").stdout
    doors = json.loads(lectern("doors", "--json").stdout)["doors"]
    assert doors == {"mcp": ["*"], "serve": [], "desktop": []}
    assert lectern("doors", "deny", "mcp").stdout.count("closed") == 3
    assert lectern("doors", "allow", "mcp", status=2).stdout == ""
    assert lectern("doors", "log").stdout == ""
