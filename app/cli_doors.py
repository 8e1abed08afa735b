"""The commands of the doors: what other programs may see, and the doors themselves."""

from __future__ import annotations

import contextlib
import re
import socket
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from app import logs, render
from app.cli_common import Command, CommandContext, LibraryUse, no_arguments
from app.doors.access import EVERYTHING, Access, Door
from app.doors.call_log import read_calls, remove_log
from app.doors.users import allow_user, deny_user, read_users
from indexer.api.codec import program_version
from indexer.api.errors import WorldError, bad_usage
from indexer.api.requests import GetStatus

DEFAULT_PORT = 7777
_LOGGED = 50  # how many calls are shown
_OPENED_BY = {
    Door.MCP: "assistants, by `lectern mcp`",
    Door.SERVE: "scripts and browsers, by `lectern serve`",
    Door.DESKTOP: "the desktop's own search",
}


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", default="list", choices=("list", "allow", "deny", "log", "forget"),
        help="what to do (list)",
    )  # fmt: skip
    parser.add_argument("door", nargs="?", choices=[*Door], help="which door")
    parser.add_argument("collections", nargs="*", metavar="COLLECTION", help="names of collections")
    parser.add_argument("--everything", action="store_true", help="the whole library")
    parser.add_argument("--user", metavar="NAME",
                        help="for serve: a person with a token of their own")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def _run(options: Namespace, context: CommandContext) -> None:
    match options.action:
        case "list":
            _list(options, context)
        case "log":
            _print_log(options, context)
        case "forget":
            remove_log()
        case _ if options.door is None:
            raise bad_usage("doors", f"{options.action} needs a door")
        case _ if options.user is not None and options.door != Door.SERVE:
            raise bad_usage("doors", "only serve has users")
        case action:
            (_allow if action == "allow" else _deny)(options, context)
            _list(options, context)


def _list(options: Namespace, context: CommandContext) -> None:
    chosen = {door: Access.read(context.settings, door).allowed for door in Door}
    collections = _known_collections(context)
    users = {name: user.collections for name, user in read_users().items()}
    values = {"doors": {door.value: names for door, names in chosen.items()},
              "users": users, "collections": collections}  # fmt: skip
    rows = [(door.value, f"{_shown(names)}  ({_OPENED_BY[door]})")
            for door, names in chosen.items()]  # fmt: skip
    rows += [(f"serve, {render.name(name)}", f"{_shown(names)}  (a user of `lectern serve`)")
             for name, names in users.items()]  # fmt: skip
    known = ", ".join(map(render.name, collections)) or "none; the window makes them"
    context.answer(options, values, *render.columns(rows), f"Collections: {known}.")


def _shown(names: tuple[str, ...]) -> str:
    if EVERYTHING in names:
        return "the whole library"
    return ", ".join(map(render.name, names)) or "closed"


def _known_collections(context: CommandContext) -> list[str]:
    return sorted(context.ask_engine(GetStatus()).collections)


def _allow(options: Namespace, context: CommandContext) -> None:
    door = Door(options.door)
    wanted = [EVERYTHING] if options.everything else options.collections
    if not wanted:
        raise bad_usage("doors", "allow needs collections or --everything")
    known = {name.casefold(): name for name in _known_collections(context)}
    for name in wanted:
        if name != EVERYTHING and name.casefold() not in known:
            raise WorldError("unknown_collection", name=name)
    names = [known.get(name.casefold(), name) for name in wanted]
    if options.user is None:
        before = Access.read(context.settings, door).allowed
        context.settings.set(door.setting, tuple(dict.fromkeys([*before, *names])))
    elif token := allow_user(options.user, names):
        context.note(f"The token of {render.name(options.user)}, shown this once: {token}")


def _deny(options: Namespace, context: CommandContext) -> None:
    door = Door(options.door)
    denied = {name.casefold() for name in options.collections}
    if options.everything:
        denied.add(EVERYTHING)
    if options.user is not None:
        deny_user(options.user, [*denied])
        return
    before = Access.read(context.settings, door).allowed
    left = [name for name in before if denied and name.casefold() not in denied]
    context.settings.set(door.setting, tuple(left))


def _print_log(options: Namespace, context: CommandContext) -> None:
    calls = read_calls(_LOGGED)
    lines = [
        f"{call.pop('time', '')}  {call.pop('door', '')}  {call.pop('who', '')}  "
        f"{call.pop('what', '')}  {' '.join(f'{name}={value}' for name, value in call.items())}"
        for call in map(dict, calls)
    ]
    context.answer(options, calls, *map(render.name, lines))


def _assistant_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--bundle", type=Path, metavar="FILE",
                        help="write a bundle (.mcpb) that installs this, and end")  # fmt: skip


def _serve_assistants(options: Namespace, context: CommandContext) -> None:
    if options.bundle is not None:
        from app.doors.mcp_bundle import write_bundle

        uri = "://" in (options.library or "")
        named = options.library if uri else options.library and context.library
        write_bundle(options.bundle, program_version(), named)
        context.note(f"Open {render.name(str(options.bundle))} with your assistant's program.")
        return
    import anyio

    from app.doors.library import DoorLibrary
    from app.doors.mcp_server import LibraryServer

    with context.engine() as engine:
        library = DoorLibrary(engine, context.settings, Door.MCP)
        anyio.run(LibraryServer(library, program_version()).run_stdio_async)


def _serve_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, metavar="N",
                        help=f"the port to listen on ({DEFAULT_PORT}; 0: any)")  # fmt: skip
    parser.add_argument("--listen", default="127.0.0.1", type=_address, metavar="ADDRESS",
                        help="where to listen (127.0.0.1: for this machine only)")  # fmt: skip
    parser.add_argument("--certificate", type=Path, metavar="FILE",
                        help="for TLS: the certificate, in PEM")  # fmt: skip
    parser.add_argument("--key", type=Path, metavar="FILE", help="for TLS: its key, in PEM")
    parser.add_argument("--behind-proxy", action="store_true",
                        help="a proxy in front of it encrypts what passes")  # fmt: skip
    parser.add_argument("--host", action="append", default=[], type=_host, metavar="NAME",
                        help="the name in the address that people open")  # fmt: skip
    parser.add_argument("--new-token", action="store_true", help="make a new token first")


def _port(text: str) -> int:
    if not text.isdecimal() or len(text) > 5 or int(text) > 65_535:
        raise ArgumentTypeError("it lies between 0 and 65,535")
    return int(text)


def _address(text: str) -> IPv4Address | IPv6Address:
    try:
        return ip_address(text)
    except ValueError as error:
        raise ArgumentTypeError("it is an address such as 127.0.0.1 or 10.0.0.5") from error


def _host(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?", text):
        raise ArgumentTypeError("it is a name such as archive.example.org, or with a port")
    return text.lower()


def _fault_of_reach(options: Namespace) -> str:
    """Return why a server may not listen as the options say; "" if it may."""
    encrypted = options.certificate is not None
    if encrypted != (options.key is not None):
        return "--certificate and --key need each other"
    if encrypted and options.behind_proxy:
        return "either --certificate or --behind-proxy"
    others = options.host or not options.listen.is_loopback
    if others and not (encrypted or options.behind_proxy):
        return "others may reach it with --certificate and --key, or --behind-proxy, only"
    if not options.host and (options.behind_proxy or options.listen.is_unspecified):
        return "--host is missing: the name in the address that people open"
    return ""


def _origins(options: Namespace) -> tuple[str, ...]:
    """Return the addresses by which clients reach the server, first the one to show."""
    from app.doors.http_guard import LOOPBACK

    encrypted = options.certificate is not None
    port = options.listener.getsockname()[1]
    address = f"[{options.listen}]" if options.listen.version == 6 else str(options.listen)
    names = LOOPBACK if options.listen.is_loopback else (address,)
    own = [f"{'https' if encrypted else 'http'}://{name}:{port}" for name in names]
    return (*(f"https://{host}" for host in options.host), *own)


def _listen(options: Namespace) -> None:
    """Open the socket that listens; afterwards the process can open no other."""
    options.refused = _fault_of_reach(options)
    if options.refused:
        return
    family = socket.AF_INET if options.listen.version == 4 else socket.AF_INET6
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((str(options.listen), options.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        options.refused = f"port {options.port} of {options.listen}: {error.strerror or error}"
        return
    options.listener = listener


def _serve_http(options: Namespace, context: CommandContext) -> None:
    from app.doors.http_guard import read_token
    from app.doors.http_server import ServedAddress, serve_http
    from app.doors.library import DoorLibrary
    from app.doors.page_images import PageRenderer

    if "listener" not in options:
        raise bad_usage("serve", options.refused)
    token = read_token(new=options.new_token)
    served = ServedAddress(options.listener, _origins(options), options.certificate, options.key)
    with context.engine() as engine, contextlib.closing(PageRenderer(context.library)) as renderer:
        library = DoorLibrary(engine, context.settings, Door.SERVE, renderer)
        context.note(f"Serving at {served.origins[0]}/#token={token}", "Ctrl+C ends it.")
        renderer.start_child()  # on this thread: the child ends with the thread that started it
        serve_http(library, served, token)


def _serve_desktop(_options: Namespace, context: CommandContext) -> None:
    from app.doors.desktop_bus import serve_desktop

    logs.start()
    serve_desktop(context.library, context.settings)


COMMANDS = (
    Command(
        "doors",
        "show and choose what other programs may search",
        "Show which collections other programs may search, allow or deny them, and show what was "
        "asked. Every door is closed until you allow a collection, or the whole library, and a "
        "change takes effect with the next question. The log is kept on this machine only; the "
        "setting door_log switches it off.",
        (
            ("lectern doors", "what each door may see"),
            ("lectern doors allow mcp Contracts", "let assistants search a collection"),
            ("lectern doors allow serve --everything", "let scripts search the whole library"),
            ("lectern doors allow serve Contracts --user anna", "give somebody a token"),
            ("lectern doors deny mcp", "close a door"),
            ("lectern doors log", "what was asked, and by whom"),
            ("lectern doors forget", "delete the log"),
        ),
        _arguments,
        _run,
        LibraryUse.ASKS,
    ),
    Command(
        "mcp",
        "let an assistant search, by the Model Context Protocol",
        "Answer an assistant over standard input and output, by the Model Context Protocol: "
        "search, read, similar, compare, documents and status. The assistant starts this command; "
        "enter it as the command of a local server. It sees what `lectern doors allow mcp` "
        "allowed and changes nothing. The command itself sends nothing over the network, but an "
        "assistant may pass its answers on.",
        (
            ("lectern mcp", "as an assistant starts it"),
            ("lectern doors allow mcp Contracts", "what it may see"),
            ("lectern mcp --bundle lectern.mcpb", "a bundle to open with the assistant's program"),
        ),
        _assistant_arguments,
        _serve_assistants,
        LibraryUse.ASKS,
    ),
    Command(
        "serve",
        "let scripts and a browser on this machine search, over HTTP",
        "Answer programs on this machine over HTTP at 127.0.0.1: a page to search in a browser, "
        "calls that /openapi.json describes, and /v1/embeddings. It prints an address with a "
        "token, without which nothing private is answered. It sees what `lectern doors allow "
        "serve` allowed and changes nothing. Other machines reach it only with a certificate, or "
        "behind a proxy that encrypts; `lectern doors allow serve --user` gives each person a "
        "token and collections.",
        (
            ("lectern serve", "serve until Ctrl+C, and print the address"),
            ("lectern serve --port 0", "at any free port"),
            ("lectern serve --new-token", "with a new token; the old one is void"),
            ("lectern serve --behind-proxy --host archive.example.org", "for others, by a proxy"),
        ),
        _serve_arguments,
        _serve_http,
        LibraryUse.ASKS,
        opens=_listen,
    ),
    Command(
        "desktop",
        "answer the search of KDE or GNOME, over D-Bus",
        "Answer KRunner and the search of GNOME Shell over D-Bus, which starts this command with "
        "the first question. It searches by words, and answers within a tenth of a second or not "
        "at all. It sees what `lectern doors allow desktop` allowed, and ends after two minutes "
        "without a question.",
        (
            ("lectern desktop", "as D-Bus starts it"),
            ("lectern doors allow desktop --everything", "what it may show"),
        ),
        no_arguments,
        _serve_desktop,
        LibraryUse.ASKS,
    ),
)
