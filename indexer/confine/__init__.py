"""Confines this process by restrictions that the operating system enforces.

Callers say which files may be read and written, whether there is a network, and whether programs
may be started, and learn which of these restrictions the kernel lacks. This room must not know
documents, engines or windows. It uses only the standard library and msgspec, so that the window can
use it before it loads Qt.

Open ``kernel`` first: Landlock (files, TCP, signals) and seccomp (system calls). Both are
interfaces of the Linux kernel, called through ctypes. Restrictions can only be tightened, are
inherited by every started process, and need no privileges. Landlock restricts the calling thread
and threads that it starts later, so a process confines itself before it starts threads.
"""
