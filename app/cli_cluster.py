"""The commands on libraries that are kept on object storage, and ``--library URI``."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from app import paths, render
from app.cli_common import (
    CANCELLED,
    LIBRARY_VARIABLE,
    Command,
    CommandContext,
    LibraryUse,
    absolute_path,
    json_argument,
)
from app.confined import CLUSTER, EXCHANGE, build_library, publish_library, pull_library
from indexer.api.codec import ERRORS_AS_JSON, decode, encode, written_error
from indexer.api.contract import MAX_LIMIT
from indexer.api.errors import Cancelled, WorldError, bad_usage
from indexer.api.private_files import COPY_NAME, LOCK_NAME, is_copy, library_errors, short_digest
from indexer.api.requests import Index, ListFiles
from indexer.api.types import FileRow, FileState
from indexer.config import Precision
from indexer.confine import launcher
from indexer.confine.launcher import BuildLibrary, LauncherRequest, PublishLibrary, PullLibrary
from indexer.confine.process import own_command
from indexer.shards.object_store import checked

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Mapping

    from indexer.shards.exchange import Version

T = TypeVar("T")

_LONGEST_S = 24 * 3600.0


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=("publish", "pull", "open"), metavar="ACTION",
        help="publish this library, pull one into a folder of your own, or into the cache",
    )  # fmt: skip
    parser.add_argument(
        "uri", metavar="URI", help="such as s3://BUCKET/NAME, gs://, az:// or file:///"
    )
    parser.add_argument("--to", metavar="DIR", help="the folder that `pull` makes")
    parser.add_argument(
        "--root", action="append", default=[], metavar="OLD=NEW",
        help="with `pull`: where an indexed folder is on this machine",
    )  # fmt: skip


def _library(options: Namespace, context: CommandContext) -> None:
    if (options.to or options.root) and options.action != "pull":
        raise bad_usage(EXCHANGE, "--to and --root belong to `pull`")
    options.uri = checked(options.uri)
    {"publish": _publish, "pull": _pull, "open": _open}[options.action](options, context)


def _publish(options: Namespace, context: CommandContext) -> None:
    _must_be_online(options, context)
    request = PublishLibrary(context.library, options.uri)
    number = _ask(request, publish_library)
    context.print(f"Published at {render.name(options.uri)}, version {number}.")


def _pull(options: Namespace, context: CommandContext) -> None:
    from indexer.shards.exchange import carry

    roots = [tuple(each.split("=", 1)) for each in options.root]
    if any(len(pair) != 2 for pair in roots):
        raise bad_usage(EXCHANGE, "--root takes OLD=NEW")
    if not options.to:
        raise bad_usage(EXCHANGE, "name a folder with --to")
    _must_be_online(options, context)
    folder = _ask(PullLibrary(options.uri, absolute_path(options.to)), pull_library)
    _measure(folder, context)
    if roots:
        carry(folder, [(there, str(absolute_path(here))) for there, here in roots])
    context.print(f"The library is at {render.name(str(folder))}; name it with --library.")


def _open(options: Namespace, context: CommandContext) -> None:
    """Print the folder of the copy in the cache; offline it is the newest copy that exists.

    If two processes open the same library, the second waits for the copy that the first makes.
    """
    from filelock import FileLock

    from indexer.library.library import exists, remove_everything

    cache = paths.pulled_folder() / short_digest(options.uri.encode())
    with library_errors(cache):
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(cache / LOCK_NAME, mode=0o600):
        copies = [path for path in cache.glob("*") if path.suffix != ".part" and exists(path)]
        if copies and _is_offline(context):
            folder = max(copies, key=lambda path: path.stat().st_ctime_ns)
        else:
            _must_be_online(options, context)
            folder = _ask(PullLibrary(options.uri, cache, by_name=True), pull_library)
        if not is_copy(folder):
            _measure(folder, context)
            for name in (LOCK_NAME, COPY_NAME):  # readers share the lock
                (folder / name).touch(mode=0o600)
        for older in copies:
            if older != folder and not _is_offline(context):
                try:
                    remove_everything(older)
                except WorldError:  # another process is reading it
                    continue
                shutil.rmtree(older, ignore_errors=True)
    context.print(str(folder))


def _ask(request: LauncherRequest[T], do_here: Callable[[Any, Callable[[], bool]], T]) -> T:
    """Have the launcher, which has a network, answer; without a launcher call ``do_here``."""
    outside = launcher.current()
    if outside is None:
        return do_here(request, lambda: False)
    return outside.ask_launcher(request, seconds=_LONGEST_S)


def _measure(folder: Path, context: CommandContext) -> None:
    """Measure a library that was joined from shards, and index its vectors if they are many."""
    from indexer.catalog.catalog import Catalog
    from indexer.library.library import CATALOG_NAME
    from indexer.shards.join import MEASURED

    try:
        with contextlib.closing(Catalog(folder / CATALOG_NAME)) as catalog:
            space = catalog.spaces.active()
            if catalog.meta(MEASURED) != "no" or space is None:
                return
        record = space.record
        _read(replace(context, library=folder), {}, record["model"], record["precision"])
        with contextlib.closing(Catalog(folder / CATALOG_NAME)) as catalog:
            catalog.set_meta(MEASURED, "yes")
    except WorldError as error:
        if error.code != "library_locked":  # another process is measuring it
            raise


def _read(
    context: CommandContext, roots: Mapping[Path, str], model: str, precision: str
) -> tuple[FileRow, ...]:
    """Read folders with a given model, and maintain the library; return its files."""
    config = replace(
        context.opened(), model=model, languages_model="", fastest_precision=False,
        precision=Precision(precision),
    )  # fmt: skip
    with contextlib.closing(context.open_engine(config)) as engine:
        engine.call(Index(tuple(roots), scan=bool(roots)))
        return engine.call(ListFiles(limit=MAX_LIMIT)).files


def _is_offline(context: CommandContext) -> bool:
    return context.offline or bool(context.settings["offline"])


def _must_be_online(options: Namespace, context: CommandContext) -> None:
    if _is_offline(context) and not options.uri.startswith("file:"):
        raise WorldError("store_failed", library=options.uri, reason="offline")


def _cluster_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=("build", "status", "serve"), metavar="ACTION",
        help="build a library of many shards, describe one, or serve one to browsers",
    )  # fmt: skip
    parser.add_argument(
        "places", nargs="+", metavar="PLACE",
        help="for `build` folders or URIs of documents, else the URI of the library; for "
             "`serve` options of `lectern serve` may follow after --",
    )  # fmt: skip
    parser.add_argument("--to", metavar="URI", help="where `build` puts the library")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="shards that are built at a time (1)"
    )
    parser.add_argument(
        "--ray", metavar="ADDRESS", default="",
        help="build with Ray: `local` for one of this machine, or the address of a cluster",
    )  # fmt: skip
    parser.add_argument("--scratch", metavar="DIR", default="", help="where shards are made")
    parser.add_argument(
        "--shard-mb", type=int, default=512, metavar="N", help="documents of a shard in MB (512)"
    )
    parser.add_argument(
        "--grace-days", type=float, default=7.0, metavar="N",
        help="how long an earlier version can be read (7)",
    )  # fmt: skip
    parser.add_argument("--model", metavar="MODEL", help="the model of all shards")
    json_argument(parser)


def _serve_first(options: Namespace) -> None:
    """Replace this process by ``serve``, which opens its socket before it is cut off."""
    if options.action == "serve":
        flags = ["--offline"] if options.offline else []
        uri, *others = options.places
        command = [*own_command(), "--library", uri, *flags, "serve", *others]
        if sys.platform == "win32":
            sys.exit(subprocess.call(command))
        os.execv(command[0], command)  # noqa: S606  # what ends this process ends the server


def _cluster(options: Namespace, context: CommandContext) -> None:
    building = options.action == "build"
    if building != bool(options.to) or not (building or len(options.places) == 1):
        raise bad_usage(CLUSTER, "`build` takes --to URI, the others one URI")
    options.uri = checked(options.to or options.places[0])
    _must_be_online(options, context)
    sources = tuple(options.places) if building else ()
    request = BuildLibrary(options.uri, sources, _build_options(options, context))
    answer = json.loads(_ask(request, build_library))
    if answer is None:
        raise WorldError("path_missing", path=options.uri)
    context.answer(options, answer, *_lines(options.uri, answer))


def _build_options(options: Namespace, context: CommandContext) -> str:
    """Return ``BuildOptions`` as JSON; "" if nothing is built."""
    if options.action != "build":
        return ""
    from indexer.catalog import schema
    from indexer.extract.base import EXTRACTOR_VERSION
    from indexer.shards.build import BuildOptions
    from indexer.store import texts, vectors, words

    config = context.config()
    model, precision = options.model or config.model, config.precision
    layouts = [each.LAYOUT.version for each in (schema, texts, vectors)]
    formats = ".".join(map(str, [EXTRACTOR_VERSION, *layouts, words.FORMAT]))
    built = BuildOptions(
        command=(*own_command(), "--offline"),
        reader=f"{model} {precision} {formats}",
        workers=options.workers,
        ray=options.ray,
        scratch=options.scratch,
        shard_bytes=options.shard_mb << 20,
        grace_s=options.grace_days * 86_400,
    )
    return json.dumps(encode(built))


def _lines(uri: str, answer: dict[str, object]) -> list[str]:
    """Describe a version: its size, its maker and its failures; after a build, what was kept."""
    from indexer.shards.build import Built
    from indexer.shards.exchange import Version

    built = decode(Built, answer) if "version" in answer else None
    version: Version = built.version if built else decode(Version, answer)
    shards = version.shards
    failed = [*version.failed, *(each for shard in shards for each in shard.failed)]
    kept = f" ({built.kept} of them built before)" if built else ""
    counts = [f"{render.count(len(shards), 'shard')}{kept}"]
    if version.reader:  # only a build counts documents and passages
        counts += [
            render.count(sum(shard.documents for shard in shards), "document"),
            render.count(sum(shard.passages for shard in shards), "passage"),
        ]
    counts.append(f"{sum(shard.size for shard in shards) / 1e9:.3f} GB")
    made = version.reader or "lectern library publish"
    return [
        f"{render.name(uri)}, version {version.number}: {', '.join(counts)}, made by {made}.",
        *(f"  {render.name(each.path)}: {each.code}" for each in failed),
    ]


def _shard_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--first", type=int, required=True, help="the first document's number")
    parser.add_argument("--reader", required=True, help="the model and the precision")
    parser.add_argument("roots", nargs="*", metavar="FOLDER=PATH", help="a folder and its name")


def _shard(options: Namespace, context: CommandContext) -> None:
    """Make the library of a shard, and print its counts; see ``indexer.shards.build``."""
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.docs import RESERVED_UNTIL
    from indexer.library.library import CATALOG_NAME
    from indexer.shards.build import Made
    from indexer.shards.exchange import carry
    from indexer.shards.sources import LeftOut

    pairs = [one.partition("=") for one in options.roots]
    roots = {absolute_path(read): named for read, _, named in pairs}
    context.library.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.closing(Catalog(context.library / CATALOG_NAME)) as catalog:
        catalog.set_meta(RESERVED_UNTIL, str(options.first))
    model, precision = options.reader.split()[:2]
    files = _read(context, roots, model, precision)
    carry(context.library, [(str(read), named) for read, named in roots.items()])
    with contextlib.closing(Catalog(context.library / CATALOG_NAME)) as catalog:
        expected = catalog.docs.expected()
    failed = [row for row in files if row.state not in {FileState.INDEXED, FileState.EXCLUDED}]
    made = Made(
        len(expected),
        sum(expected.values()),
        tuple(
            LeftOut(os.path.join(roots[Path(row.root)], row.file), row.code or row.state)  # noqa: PTH118  # as text
            for row in failed
        ),
    )
    context.print(json.dumps(encode(made)))


def opened(uri: str, *, offline: bool) -> Path:
    """Return the folder of a local copy of a published library; no command changes the copy.

    A separate process, `lectern library open`, makes the copy, since a command that asks questions
    is cut off from the network. Raises what ``exchange.pull`` raises.
    """
    flags = ["--offline"] if offline else []
    environment = {name: value for name, value in os.environ.items() if name != LIBRARY_VARIABLE}
    done = subprocess.run(
        [*own_command(), *flags, EXCHANGE, "open", checked(uri)], stdin=subprocess.DEVNULL,
        capture_output=True, env={**environment, **ERRORS_AS_JSON}, check=False, text=True,
    )  # fmt: skip
    if done.returncode == CANCELLED:
        raise Cancelled
    if done.returncode:
        said = done.stderr[-300:] or f"it ended with status {done.returncode}"
        raise written_error(done.stderr) or WorldError("store_failed", library=uri, reason=said)
    return Path(done.stdout.rstrip("\n"))


COMMANDS = (
    Command(
        EXCHANGE,
        "publish the library on object storage, or pull one from there",
        "Publish the library on object storage (S3, Google Cloud Storage, Azure) or in a folder "
        "(file:///) with a checksum of each file, or pull a published one. `pull` makes a library "
        "of your own; `open` makes a copy in the cache and prints its folder. Commands that only "
        "read do the same with `--library URI`. Quit Lectern before you publish. It needs "
        "`pip install 'lectern[cluster]'`, and takes credentials from the environment, such as "
        "AWS_ACCESS_KEY_ID.",
        (
            ("lectern library publish s3://firm/archive", "publish the library"),
            ("lectern library pull s3://firm/archive --to ~/archive --root /srv/docs=/mnt/docs",
             "copy it, and name the folder of its documents on this machine"),
            ("lectern --library s3://firm/archive search lease", "ask it"),
        ),
        _arguments,
        _library,
        lambda options: LibraryUse.READS if options.action == "publish" else LibraryUse.NONE,
    ),
    Command(
        CLUSTER,
        "build a library of many shards on object storage, with many workers",
        "Build a library of folders or object storage that one machine cannot read in a night. "
        "Documents are grouped into shards. A worker builds each shard as an ordinary library and "
        "uploads it, and all are committed together at the end. Shards that are already uploaded "
        "are not built again, so repeat a run that was stopped. Workers are processes of this "
        "machine or, with --ray, tasks on a Ray cluster, whose machines must reach the sources "
        "and the URI. Search it with `lectern --library URI search`. It needs `pip install "
        "'lectern[cluster]'`.",
        (
            ("lectern cluster build ~/archive --to s3://firm/archive --workers 2",
             "build with two processes"),
            ("lectern cluster build s3://firm/documents --to s3://firm/archive --ray auto",
             "build on a cluster of Ray"),
            ("lectern cluster status s3://firm/archive", "describe it"),
            ("lectern cluster serve s3://firm/archive", "serve it to browsers of this machine"),
            ("lectern cluster serve s3://firm/archive -- --behind-proxy --host archive.example.org",
             "serve it to others, each with a token (`lectern doors allow serve --user`)"),
        ),
        _cluster_arguments,
        _cluster,
        LibraryUse.NONE,
        opens=_serve_first,
    ),
    Command(
        "shard",
        "make the library of a shard",
        "Make the library of a shard, for `lectern cluster build`.",
        (("lectern shard --first 1 --reader 'lectern-minilm-late int8' docs=/srv/docs", "one"),),
        _shard_arguments,
        _shard,
        hidden=True,
    ),
)  # fmt: skip
