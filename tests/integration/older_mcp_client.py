"""A client of the MCP SDK before 2.0: it starts the server it is given, and prints what it heard.

It runs in a process of its own, whose search path begins with that SDK.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from typing import Any

import anyio


async def ask(command: str, arguments: list[str]) -> dict[str, Any]:
    """Search, read what was found, read a resource, and make a call that is refused."""
    import mcp
    from mcp.client.stdio import StdioServerParameters, stdio_client

    environment = {**os.environ, "PYTHONPATH": os.environ["LECTERN_PATH"]}
    server = StdioServerParameters(command=command, args=arguments, env=environment)
    session_of: Any = mcp.ClientSession
    async with stdio_client(server) as (reading, writing), session_of(reading, writing) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        found = await session.call_tool("search", {"query": "who mends the roof"})
        (outcome,) = found.structuredContent["collections"]
        hit = outcome["passages"][0]
        named = {"document": hit["document"], "hash": hit["hash"]}
        read = await session.call_tool("read", named)
        resources = (await session.list_resources()).resources
        lease = next(one for one in resources if str(one.uri).endswith("lease.txt"))
        contents = (await session.read_resource(lease.uri)).contents
        refused = await session.call_tool("read", {"document": "/etc/passwd"})
        return {
            "sdk": version("mcp"),
            "tools": [tool.name for tool in tools],
            "texts": [one["text"] for one in outcome["passages"]],
            "read": read.structuredContent,
            "resource": [one.text for one in contents],
            "refused": refused.isError,
        }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(anyio.run(ask, sys.argv[1], sys.argv[2:])))
