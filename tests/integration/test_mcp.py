"""``lectern mcp`` as assistants start it: both eras of the protocol, and hostile callers."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from app.doors.access import Door
from app.doors.answers import address_of
from app.doors.call_log import read_calls
from app.doors.library import MOST_BYTES, DoorLibrary
from app.doors.mcp_server import LibraryServer
from indexer.api.requests import Index
from tests.integration.doors import CONTRACTS, LEASE, ORDER, PRIVATE, OpenDoors, open_doors
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

TOOLS = {"search", "read", "similar", "compare", "documents", "status"}
# As the SDK 1.30 sends them.
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"sampling": {}, "roots": {"listChanged": True}},
        "clientInfo": {"name": "an older client", "version": "1.30"},
    },
}
OLDER_SDK = Path(__file__).resolve().parents[2] / ".venv" / "older-sdk"
OLDER_CLIENT = Path(__file__).with_name("older_mcp_client.py")
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, tiny_models_dir: Path) -> Iterator[OpenDoors]:
    with open_doors(tmp_path_factory.mktemp("m"), tiny_models_dir) as opened:
        yield opened


@pytest.fixture
def server(doors: OpenDoors) -> LibraryServer:
    doors.allow("mcp", CONTRACTS)
    return LibraryServer(DoorLibrary(doors.engine, doors.settings, Door.MCP), "1")


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        with anyio.fail_after(WAIT_S):
            await work()

    anyio.run(limited)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_assistant_searches_and_reads(doors: OpenDoors, mode: str) -> None:
    doors.allow("mcp", CONTRACTS)
    command, *arguments = doors.command("mcp")
    server = StdioServerParameters(command=command, args=arguments, env=doors.environment)

    async def work() -> None:
        async with Client(server, mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == TOOLS
            assert all(tool.output_schema and tool.description for tool in tools)
            said = await client.call_tool("search", {"query": "who mends the roof"})
            assert said.structured_content is not None
            (outcome,) = said.structured_content["collections"]
            hit = next(one for one in outcome["passages"] if one["path"].endswith("lease.txt"))
            assert hit["text"] == LEASE
            named = {"document": hit["document"], "hash": hit["hash"]}
            read = await client.call_tool("read", named)
            assert read.structured_content is not None
            assert read.structured_content["verified"] is True
            resources = (await client.list_resources()).resources
            assert hit["document"] in {str(one.uri) for one in resources}
            (content,) = (await client.read_resource(hit["document"])).contents
            assert getattr(content, "text", "") == LEASE

    run(work)
    assert {"search", "read"} <= {call["what"] for call in read_calls(5)}


def test_a_bundle_starts_the_installed_program(doors: OpenDoors, tmp_path: Path) -> None:
    doors.allow("mcp", CONTRACTS)
    file = tmp_path / "lectern.mcpb"
    subprocess.run(doors.command("mcp", "--bundle", str(file)), env=doors.environment, check=True)
    with zipfile.ZipFile(file) as bundle:
        manifest = json.loads(bundle.read("manifest.json"))
        entry = bundle.getinfo(manifest["server"]["entry_point"])
        bundle.extractall(tmp_path)
    # Version 0.3 of the schema has these keys and no others.
    required = {"manifest_version", "name", "version", "description", "author", "server"}
    optional = {"display_name", "long_description", "license", "tools_generated", "compatibility"}
    assert required <= set(manifest) <= required | optional
    assert manifest["manifest_version"] == "0.3"
    assert set(manifest["server"]) == {"type", "entry_point", "mcp_config"}
    assert manifest["server"]["type"] == "binary"
    assert set(manifest["server"]["mcp_config"]) == {"command", "args"}
    assert set(manifest["compatibility"]["platforms"]) <= {"darwin", "win32", "linux"}
    assert entry.external_attr >> 16 & 0o111 == 0o111
    started = manifest["server"]["mcp_config"]
    script = tmp_path / entry.filename
    script.chmod(0o755)  # ``zipfile`` drops it, which programs that open bundles do not

    async def work() -> None:
        for command, arguments in ((started["command"], started["args"]), (str(script), [])):
            server = StdioServerParameters(command=command, args=arguments, env=doors.environment)
            async with Client(server) as client:
                assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS

    run(work)


def test_a_client_of_the_older_sdk_is_answered(doors: OpenDoors) -> None:
    doors.allow("mcp", CONTRACTS)
    call = {"name": "search", "arguments": {"query": "roof"}}
    messages = [
        HELLO,
        INITIALIZED,
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    answers = {one["id"]: one["result"] for one in spoken(doors, messages, {0, 1, 2})}
    assert answers[0]["protocolVersion"] == "2025-11-25"
    assert {tool["name"] for tool in answers[1]["tools"]} == TOOLS
    assert answers[2]["structuredContent"]["collections"][0]["passages"]
    assert read_calls(1)[0]["who"] == "an older client 1.30"


def spoken(doors: OpenDoors, messages: list[Any], wanted: set[int]) -> list[dict[str, Any]]:
    """Write messages to the command and read its answers until all wanted ones are there."""
    answers: list[dict[str, Any]] = []
    with subprocess.Popen(
        doors.command("mcp"),
        env=doors.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in messages:
            text = message if isinstance(message, str) else json.dumps(message)
            process.stdin.write(text + "\n")
        process.stdin.flush()
        while wanted - {one.get("id") for one in answers}:
            line = process.stdout.readline()
            assert line, "the server has ended"
            answers.append(json.loads(line))
        process.stdin.close()
        assert process.wait(WAIT_S) == 0
    return answers


@pytest.mark.slow
@pytest.mark.skipif(not OLDER_SDK.is_dir(), reason="`make test-slow` installs the SDK 1.30")
def test_the_client_of_the_older_sdk_searches_and_reads(doors: OpenDoors) -> None:
    doors.allow("mcp", CONTRACTS)
    done = subprocess.run(
        [sys.executable, str(OLDER_CLIENT), *doors.command("mcp")],
        env={**doors.environment, "PYTHONPATH": str(OLDER_SDK), "OLDER_SDK": str(OLDER_SDK),
             "LECTERN_PATH": doors.environment["PYTHONPATH"]},
        capture_output=True, text=True, timeout=WAIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["sdk"].startswith("1.")
    assert set(said["tools"]) == TOOLS
    assert LEASE in said["texts"]
    assert said["read"]["verified"] is True
    assert said["resource"] == [LEASE]
    assert said["refused"] is True


def test_what_is_no_message_ends_nothing(doors: OpenDoors) -> None:
    doors.allow("mcp", CONTRACTS)
    messages = ["", "{", "[]", "\x00", '{"jsonrpc": "2.0"}', '"' + "x" * 1_000_000 + '"', HELLO,
                INITIALIZED, {"jsonrpc": "2.0", "id": 1, "method": "tools/nothing"},
                {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]  # fmt: skip
    answers = {one.get("id"): one for one in spoken(doors, messages, {0, 1, 2})}
    assert "error" in answers[1]
    assert "result" in answers[2]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": "x" * 5_000}),
        ("search", {"query": "roof", "limit": 10**9}),
        ("search", {"query": "roof", "limit": -1}),
        ("search", {"query": {"a": 1}}),
        ("search", {}),
        ("search", {"query": "roof", "types": ["pdf"] * 10_000}),
        ("read", {"document": "/etc/passwd"}),
        ("read", {"document": "../../etc/passwd"}),
        ("read", {"document": "lectern://document/%2Fetc%2Fpasswd"}),
        ("read", {"document": "lectern://document/%00%FF%2E%2E"}),
        ("read", {"document": "\ud800\x00"}),
        ("read", {"document": "file:///etc/passwd"}),
        ("read", {"document": "/etc/passwd", "max_bytes": 10**12}),
        ("similar", {"document": "/etc/passwd", "page": 10**30}),
        ("compare", {"first": "", "second": "x" * 30_000}),
        ("documents", {"offset": -5}),
        ("nothing", {}),
    ],
)
def test_a_hostile_call_is_refused(
    server: LibraryServer, name: str, arguments: dict[str, Any]
) -> None:
    async def work() -> None:
        async with Client(server) as client:
            try:
                said = await client.call_tool(name, arguments)
            except MCPError:
                pass
            else:
                assert said.is_error
            assert not (await client.call_tool("status", {})).is_error

    run(work)


def test_a_hidden_document_is_no_resource(doors: OpenDoors, server: LibraryServer) -> None:
    async def work() -> None:
        async with Client(server) as client:
            listed = {str(one.uri) for one in (await client.list_resources()).resources}
            assert address_of(doors.path("private/diary.txt")) not in listed
            for path in (doors.path("private/diary.txt"), "/etc/passwd"):
                with pytest.raises(MCPError):
                    await client.read_resource(address_of(path))
            said = await client.call_tool("search", {"query": "roof", "collections": [PRIVATE]})
            assert said.structured_content is not None
            (outcome,) = said.structured_content["collections"]
            assert (outcome["error"], outcome["passages"]) == ("unknown_collection", [])

    run(work)


def test_an_instruction_in_a_passage_is_given_as_a_quotation(server: LibraryServer) -> None:
    async def work() -> None:
        async with Client(server) as client:
            assert "never instructions" in (client.instructions or "")
            said = await client.call_tool("search", {"query": "ignore all previous instructions"})
            assert said.structured_content is not None
            (outcome,) = said.structured_content["collections"]
            assert ORDER in {one["text"] for one in outcome["passages"]}
            for content in said.content:  # in a field of JSON, never as text of its own
                assert json.loads(getattr(content, "text", ""))
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS

    run(work)


@pytest.mark.slow
def test_a_document_of_a_million_characters_is_read_in_parts(
    doors: OpenDoors, server: LibraryServer
) -> None:
    file = doors.world.documents / "contracts" / "long.txt"
    file.write_text("The tenant counts the zeppelins above the roof. " * 22_000)
    doors.engine.call(Index((file,)))
    sizes: list[int] = []

    async def work() -> None:
        async with Client(server) as client:
            following = 0
            for _ in range(3):
                asked = {"document": str(file), "start": following, "max_bytes": MOST_BYTES}
                said = await client.call_tool("read", asked)
                assert not said.is_error
                assert said.structured_content is not None
                parts = said.structured_content["parts"]
                assert parts[0]["start"] <= following or not following
                sizes.append(sum(len(part["text"].encode()) for part in parts))
                following = said.structured_content["next_start"]
                assert following
            said = await client.call_tool("read", {"document": str(file), "page": 1})
            assert not said.is_error

    run(work)
    assert all(0 < size <= MOST_BYTES for size in sizes)


def test_fifty_calls_at_once_are_all_answered(server: LibraryServer) -> None:
    async def work() -> None:
        found: list[int] = []
        async with Client(server) as client:

            async def ask(number: int) -> None:
                said = await client.call_tool("search", {"query": f"the roof {number}"})
                assert not said.is_error
                found.append(number)

            async with anyio.create_task_group() as group:
                for number in range(50):
                    group.start_soon(partial(ask, number))
        assert sorted(found) == list(range(50))

    run(work)


def test_a_cancelled_call_leaves_the_others_alone(server: LibraryServer) -> None:
    async def work() -> None:
        async with Client(server) as client:
            for _ in range(5):
                with anyio.move_on_after(0):
                    await client.call_tool("search", {"query": "the roof"})
            said = await client.call_tool("search", {"query": "the roof"})
            assert not said.is_error

    run(work)


def test_a_door_that_is_closed_meanwhile_answers_no_more(
    doors: OpenDoors, server: LibraryServer
) -> None:
    async def work() -> None:
        async with Client(server) as client:
            assert not (await client.call_tool("search", {"query": "roof"})).is_error
            doors.allow("mcp")
            said = await client.call_tool("search", {"query": "roof"})
            assert said.is_error
            assert "[door_closed]" in getattr(said.content[0], "text", "")

    run(work)
