"""Downloads the files of one repository of a hub: the only process of ours that speaks to one.

Owns the protocol, which is huggingface_hub's: mirrors (``HF_ENDPOINT``), proxies and access tokens
are the person's own. What the hub says of sizes and hashes is written down before anything large is
fetched, and every file is compared with it. An interrupted file goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from filelock import FileLock

from indexer.api.atomic import DISK_FULL, replacing
from indexer.api.codec import decode, encode
from indexer.api.errors import LecternError, WorldError
from indexer.confine.process import take_stdout
from indexer.embed.fetch import OWNER_ONLY
from indexer.embed.folder_options import LARGEST_JSON
from indexer.embed.hub import LISTING, PART, HubAnswer, HubFile, HubRequest, Listing, read_listing
from indexer.embed.models import GIVEN_GRAPH, TOKENIZER, WEIGHTS
from indexer.embed.sentence_folder import (
    CONFIG,
    GRAPHS,
    GRAPHS_FOLDER,
    LENGTHS,
    MODULES,
    PROMPTS,
    most_bytes,
    read_record,
)

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from huggingface_hub.hf_api import RepoSibling

# Read when huggingface_hub is loaded. Xet, its other protocol, neither goes on with an interrupted
# file nor uses the person's proxy.
_SWITCHES = {"HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
_WANTED = frozenset({CONFIG, MODULES, PROMPTS, LENGTHS, WEIGHTS, TOKENIZER})
_PART_OF_PIPELINE = re.compile(r"[0-9]_[A-Za-z]{1,32}/(config\.json|model\.safetensors)")
_GRAPHS = frozenset(GRAPHS_FOLDER + name for name in GRAPHS)
_INDEX, _PICKLE = f"{WEIGHTS}.index.json", "pytorch_model.bin"
_SHA256 = 64  # digits
_CHUNK = 1 << 20
_TIMEOUT_S = 30.0
# Pieces of a stream: those of huggingface_hub have 10 MB, of which a part is lost with
# the connection.
_PIECE = 1 << 16


def main() -> int:
    """Answer the request in the first argument."""
    os.environ.update(_SWITCHES)
    request = decode(HubRequest, json.loads(sys.argv[1]))
    with take_stdout() as output:
        output.write(json.dumps(encode(_answer(request))).encode())
    return 0


def _answer(request: HubRequest) -> HubAnswer:
    model = request.repository.rpartition("/")[2]
    try:
        # The child of a command that was killed may still be writing, for half a second.
        with FileLock(request.folder / "download.lock", timeout=_TIMEOUT_S):
            _download(request)
    except LecternError as error:
        return HubAnswer(error.failure())
    except Exception as error:  # noqa: BLE001  # HTTP libraries raise many things
        return HubAnswer(_explained(error, model, request.folder).failure())
    return HubAnswer()


def _explained(error: Exception, model: str, folder: Path) -> WorldError:
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        return WorldError("model_gated", model=model)
    if isinstance(error, (RepositoryNotFoundError, EntryNotFoundError)):
        return WorldError("model_missing", model=model, reason="not_on_hub")
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        return WorldError("disk_full", needed=_needed(folder), path=str(folder))
    reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
    return WorldError("model_missing", model=model, reason=reason[:300])


def _download(request: HubRequest) -> None:
    from huggingface_hub import HfApi

    repository, folder = request.repository, request.folder
    info = HfApi(library_name="lectern").model_info(
        repository, files_metadata=True, timeout=_TIMEOUT_S
    )
    wanted = _wanted(info.siblings or [], given=request.given)
    listing = Listing(info.sha or "", tuple(map(_described, wanted)))
    _check(repository, listing, {each.rfilename for each in info.siblings or ()})
    with replacing(folder / LISTING) as file:
        file.write(json.dumps(encode(listing)).encode())
    _check_disk(folder, listing)
    described = [each for each in listing.files if most_bytes(each.name) == LARGEST_JSON]
    for each in described:
        _fetch(repository, listing.revision, each, folder)
    given = all(each.name != WEIGHTS for each in listing.files)
    # Refuses what cannot be run before it is fetched.
    read_record(folder, "described", late=False, given=given)
    for each in listing.files:
        if each not in described:
            _fetch(repository, listing.revision, each, folder)


def _wanted(siblings: list[RepoSibling], *, given: bool) -> list[RepoSibling]:
    """What a model needs: its graphs only where its weights are in no other file, or of no use."""
    there = {each.rfilename for each in siblings}
    by_graph = GRAPHS_FOLDER + GIVEN_GRAPH in there and (given or WEIGHTS not in there)
    wanted = _WANTED - {WEIGHTS} | _GRAPHS if by_graph else _WANTED
    return [
        each
        for each in siblings
        if each.rfilename in wanted or _PART_OF_PIPELINE.fullmatch(each.rfilename)
    ]


def _described(file: RepoSibling) -> HubFile:
    checksum = file.lfs.sha256 if file.lfs is not None else file.blob_id
    return HubFile(file.rfilename, file.size or 0, checksum or "")


def _check(repository: str, listing: Listing, there: set[str]) -> None:
    """Refuse what cannot be imported before it is fetched.

    Raises:
        WorldError: ``model_refused``.
    """
    names = {file.name for file in listing.files}
    reason, about = "", WEIGHTS
    if not names & {WEIGHTS, GRAPHS_FOLDER + GIVEN_GRAPH}:
        split, pickled = _INDEX in there, _PICKLE in there
        reason = "model_split" if split else "model_pickle" if pickled else "model_file_missing"
    elif missing := {CONFIG, TOKENIZER} - names:
        reason, about = "model_file_missing", min(missing)
    elif large := [each for each in listing.files if each.size > most_bytes(each.name)]:
        reason, about = "model_file_large", large[0].name
    if reason:
        limit = f"{most_bytes(about) / 1e6:,.0f} MB"
        raise WorldError("model_refused", path=repository, reason=reason, file=about, limit=limit)


def _check_disk(folder: Path, listing: Listing) -> None:
    """Compare the free space with what is missing and the graph, of at most twice the size.

    Raises:
        WorldError: ``disk_full``.
    """
    needed = _missing_bytes(folder, listing) + 2 * sum(file.size for file in listing.files)
    if shutil.disk_usage(folder).free < needed:
        raise WorldError("disk_full", needed=f"{needed / 1e6:,.0f} MB", path=str(folder))


def _missing_bytes(folder: Path, listing: Listing) -> int:
    def have(file: HubFile) -> int:
        paths = folder / file.name, folder / (file.hash + PART)
        return sum(path.stat().st_size for path in paths if path.exists())

    return sum(max(0, file.size - have(file)) for file in listing.files)


def _needed(folder: Path) -> str:
    return f"{_missing_bytes(folder, read_listing(folder)) / 1e6:,.0f} MB"


def _fetch(repository: str, revision: str, file: HubFile, folder: Path) -> None:
    """Fetch one file, going on with what is there of it.

    Raises:
        WorldError: ``download_wrong`` if it is not what the hub described.
    """
    from huggingface_hub import hf_hub_url

    target, part = folder / file.name, folder / (file.hash + PART)
    if target.exists() and _is_right(target, file):
        return
    target.parent.mkdir(exist_ok=True)
    url = hf_hub_url(repository, file.name, revision=revision)
    part.touch(mode=OWNER_ONLY)
    with part.open("ab", buffering=0) as sink:
        if sink.tell() > file.size:
            sink.truncate(0)
        _stream(url, sink, file)
    if not _is_right(part, file):
        part.unlink()
        model = repository.rpartition("/")[2]
        raise WorldError("download_wrong", model=model, file=file.name)
    part.replace(target)


def _stream(url: str, sink: BinaryIO, file: HubFile) -> None:
    from huggingface_hub import constants
    from huggingface_hub.file_download import get_hf_file_metadata, http_get
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # lazily

    constants.DOWNLOAD_CHUNK_SIZE = _PIECE
    headers = build_hf_headers(library_name="lectern")
    location = get_hf_file_metadata(url, headers=headers, timeout=_TIMEOUT_S).location
    if urlsplit(location).netloc != urlsplit(url).netloc:
        headers.pop("authorization", None)  # the person's token is for the hub alone
    http_get(
        location, sink, resume_size=sink.tell(), headers=headers, expected_size=file.size,
        displayed_filename=file.name,
    )  # fmt: skip


def _is_right(path: Path, file: HubFile) -> bool:
    """Whether a file has the size and the hash that the hub told."""
    if path.stat().st_size != file.size:
        return False
    if len(file.hash) == _SHA256:
        digest = hashlib.sha256()
    else:  # as git names a file that is not large
        digest = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    with path.open("rb") as source:
        while block := source.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest() == file.hash


if __name__ == "__main__":
    sys.exit(main())
