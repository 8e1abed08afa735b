"""Downloads the files of a repository. No other process of ours connects to a hub.

huggingface_hub implements the protocol, with the person's own mirrors (``HF_ENDPOINT``), proxies
and access tokens. Its ``snapshot_download`` (2.4) gives each attempt a new name, so that a killed
download would begin its file again. Here an interrupted file continues where it stopped. The hub's
sizes and hashes are stored before any large file is fetched, and every file is compared with them.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from filelock import FileLock

from indexer.api.codec import decode, encode
from indexer.api.errors import Failure, LecternError, WorldError
from indexer.api.private_files import DISK_FULL, bytes_under, check_room, gigabytes, write_file
from indexer.confine.process import take_stdout
from indexer.embed.exported_folder import (
    COARSE,
    CONFIG,
    DATA,
    GRAPH,
    GRAPH_FOLDERS,
    LENGTHS,
    MODULES,
    PROMPTS,
    most_bytes,
)
from indexer.embed.hub import LISTING, PART, HubFile, HubRequest, Listing, read_listing
from indexer.embed.model_files import OWNER_ONLY, hash_file
from indexer.embed.models import TOKENIZER

if TYPE_CHECKING:
    from huggingface_hub.hf_api import RepoSibling

# Read when huggingface_hub is loaded. Its other protocol, Xet, neither continues an interrupted
# file nor uses the person's proxy.
_SWITCHES = {"HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
# The files of a model: its graph, the graph's forms in 16 and 8 bits, and its description.
_GRAPHS = [GRAPH_FOLDERS[0] + name for name in (GRAPH, *COARSE)]
_DESCRIPTIONS = (CONFIG, MODULES, PROMPTS, LENGTHS, TOKENIZER, "1_Pooling/config.json")
_WANTED = {*_DESCRIPTIONS, *_GRAPHS, *(name + DATA for name in _GRAPHS)}
_SHA256 = 64  # digits
_TIMEOUT_S = 30.0
# The size of the parts of a stream. huggingface_hub has 10 MB, and a broken connection loses the
# last part.
_PIECE = 1 << 16


def main() -> int:
    """Answer the request in the first argument."""
    os.environ.update(_SWITCHES)
    request = decode(HubRequest, json.loads(sys.argv[1]))
    with take_stdout() as output:
        output.write(json.dumps(encode(_answer(request))).encode())
    return 0


def _answer(request: HubRequest) -> Failure | None:
    model = request.repository.rpartition("/")[2]
    try:
        # The child of a killed command may still write for half a second.
        with FileLock(request.folder / "download.lock", timeout=_TIMEOUT_S):
            _download(request)
    except LecternError as error:
        return error.failure()
    except Exception as error:  # noqa: BLE001  # HTTP libraries raise many things
        return _explained(error, model, request.folder).failure()
    return None


def _explained(error: Exception, model: str, folder: Path) -> WorldError:
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        return WorldError("model_gated", model=model)
    if isinstance(error, (RepositoryNotFoundError, EntryNotFoundError)):
        return WorldError("model_missing", model=model, reason="not_on_hub")
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        needed = gigabytes(_missing_bytes(folder, read_listing(folder)))
        return WorldError("disk_full", needed=needed, path=str(folder))
    reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
    return WorldError("model_missing", model=model, reason=reason[:300])


def _download(request: HubRequest) -> None:
    from huggingface_hub import HfApi

    repository, folder = request.repository, request.folder
    info = HfApi(library_name="lectern").model_info(
        repository, files_metadata=True, timeout=_TIMEOUT_S
    )
    found = [each for each in info.siblings or [] if each.rfilename in _WANTED]
    listing = Listing(info.sha or "", tuple(map(_described, found)))
    _check_listing(request, listing)
    write_file(folder / LISTING, json.dumps(encode(listing)))
    check_room(_missing_bytes(folder, listing), folder)
    for each in listing.files:
        _fetch(repository, listing.revision, each, folder)


def _described(file: RepoSibling) -> HubFile:
    checksum = file.lfs.sha256 if file.lfs is not None else file.blob_id
    return HubFile(file.rfilename, file.size or 0, checksum or "")


def _check_listing(request: HubRequest, listing: Listing) -> None:
    """Refuse a model that cannot be imported before it is fetched."""
    names = {file.name for file in listing.files}
    if missing := {_GRAPHS[0], CONFIG, TOKENIZER} - names:
        raise WorldError(
            "model_refused", path=request.repository, reason="model_file_missing",
            file=min(missing),
        )  # fmt: skip
    for file in listing.files:
        if file.size > (most := most_bytes(file.name)):
            raise WorldError(
                "model_refused", path=request.repository, reason="model_file_large",
                file=file.name, limit=f"{most / 1e6:,.0f} MB",
            )  # fmt: skip


def _missing_bytes(folder: Path, listing: Listing) -> int:
    return max(0, sum(file.size for file in listing.files) - bytes_under(folder))


def _fetch(repository: str, revision: str, file: HubFile, folder: Path) -> None:
    """Fetch one file, or the rest of it.

    Raises ``download_wrong`` if it differs from the hub's description.
    """
    from huggingface_hub import hf_hub_url

    target, part = folder / file.name, folder / (file.hash + PART)
    if target.exists() and _is_right(target, file):
        return
    target.parent.mkdir(exist_ok=True)
    part.touch(mode=OWNER_ONLY)
    with part.open("ab", buffering=0) as sink:
        if sink.tell() > file.size:
            sink.truncate(0)
        _stream(hf_hub_url(repository, file.name, revision=revision), sink, file)
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
        headers.pop("authorization", None)  # the person's token is only for the hub
    http_get(
        location, sink, resume_size=sink.tell(), headers=headers, expected_size=file.size,
        displayed_filename=file.name,
    )  # fmt: skip


def _is_right(path: Path, file: HubFile) -> bool:
    """Whether a file has the size and hash from the hub."""
    if path.stat().st_size != file.size:
        return False
    if len(file.hash) == _SHA256:
        return hash_file(path) == file.hash
    # Git's hash of a file that is not large.
    named = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    with path.open("rb") as source:
        return hashlib.file_digest(source, lambda: named).hexdigest() == file.hash


if __name__ == "__main__":
    sys.exit(main())
