"""Files below ``share``: shell completions, and the site of the help."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.cli import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[3]
SITE = "doc/lectern/html"
BASH = """
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$(($# - 2))
function=$(complete -p lectern | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
$function
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "share"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        importlib.import_module("share").make_share(folder, ".TH LECTERN 1")
    return folder


def bash(script: Path, *words: str) -> list[str]:
    command = ["bash", "--norc", "-c", BASH, "bash", str(script), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.split()


def fish(script: Path, *words: str) -> list[str]:
    program = shutil.which("fish")
    if program is None:
        pytest.skip("there is no fish here")
    line = " ".join(words)
    command = [program, "--no-config", "-c", f"source {script}; complete -C '{line}'"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return [each.split("\t")[0] for each in done.stdout.splitlines()]


@pytest.fixture(params=["bash", "fish"])
def complete(request: pytest.FixtureRequest, share: Path) -> Callable[..., list[str]]:
    asked, place = {
        "bash": (bash, "bash-completion/completions/lectern"),
        "fish": (fish, "fish/vendor_completions.d/lectern.fish"),
    }[request.param]
    return lambda *words: asked(share / place, *words)


def test_commands_are_completed(complete: Callable[..., list[str]]) -> None:
    named = {command.name for command in COMMANDS if not command.hidden}
    assert named <= set(complete("lectern", ""))
    assert set(complete("lectern", "se")) == {name for name in named if name.startswith("se")}


@pytest.mark.parametrize("command", [each.name for each in COMMANDS if not each.hidden])
def test_options_are_completed(
    complete: Callable[..., list[str]], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    options_of = importlib.import_module("command_reference").options_of
    options = {name.split()[0] for name, _meaning in options_of(command) if name[0] == "-"}
    assert options <= set(complete("lectern", command, "--"))


def test_values_are_completed(complete: Callable[..., list[str]]) -> None:
    assert set(complete("lectern", "settings", "get", "prec")) == {"precision"}
    assert set(complete("lectern", "files", "--state", "un")) == {"unreadable", "unsupported"}
    assert "lectern-e5-late" in complete("lectern", "reindex", "--model", "l")
    assert "pyproject.toml" in complete("lectern", "index", "pyproj")
    assert set(complete("lectern", "pace", "s")) == {"slow"}


def test_zsh_takes_its_script(share: Path) -> None:
    script = share / "zsh/site-functions/_lectern"
    assert script.read_text("utf-8").startswith("#compdef lectern")
    if (program := shutil.which("zsh")) is None:
        pytest.skip("there is no zsh here")
    subprocess.run([program, "-n", script], check=True)


def test_the_site_has_every_page_and_no_external_links(share: Path) -> None:
    made = {page.stem for page in (share / SITE).glob("*.html")}
    assert made == {page.stem for page in (ROOT / "resources" / "help").glob("*.md")}
    for page in (share / SITE).glob("*.html"):
        text = page.read_text("utf-8")
        listed = re.findall(r'href="([\w-]+)\.html"', text.partition("</nav>")[0])
        assert set(listed) == made
        assert re.findall(r"(?:src|href)=\"(?:\w+:)?//", text) == []
        assert "<script" not in text
        for link, heading in re.findall(r'href="([\w-]+\.html)?(?:#([\w-]+))?"', text):
            target = (share / SITE / link).read_text("utf-8") if link else text
            assert not heading or f'id="{heading}"' in target


def test_the_icon_is_rendered_in_every_size(share: Path) -> None:
    sizes = {path.parents[1].name for path in share.rglob("lectern.png")}
    assert {"16x16", "48x48", "256x256", "512x512"} <= sizes
