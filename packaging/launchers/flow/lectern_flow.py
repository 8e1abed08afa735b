"""Lectern in Flow Launcher, which starts this script with a JSON request for each query."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def results(query: str) -> list[dict[str, Any]]:
    """Return the rows for a query; none while it is empty or Lectern has no answer."""
    if not query.strip():
        return []
    command = ["lectern", "search", "--format", "alfred", "--", query]
    found = subprocess.run(command, capture_output=True, check=False)
    try:
        items = json.loads(found.stdout)["items"]
    except (ValueError, KeyError):
        return []
    return [
        {
            "Title": item["title"],
            "SubTitle": item["subtitle"],
            "IcoPath": "lectern.png",
            "JsonRPCAction": {"method": "open", "parameters": [item["arg"]]},
        }
        for item in items
    ]


def main(request: str) -> None:
    """Answer a request: rows for a query, or a passage opened in the window."""
    asked = json.loads(request)
    method, values = asked["method"], asked.get("parameters", [])
    if method == "open":
        subprocess.Popen(["lectern", "gui", "--", *values])  # noqa: S607  # found by PATH
    elif method == "query":
        sys.stdout.write(json.dumps({"result": results(*values)}))


if __name__ == "__main__":
    main(sys.argv[1])
