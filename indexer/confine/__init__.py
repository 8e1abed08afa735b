"""Confinement: restrictions that the operating system enforces on this process.

In: which files may be read and written, whether there is a network, whether programs may be
started. Out: a process that the kernel restricts so, and which restrictions this kernel lacks.
Must not know documents, engines or windows. Standard library and msgspec only, so that the window,
which must not import heavy libraries, can use it before it loads Qt.

Open ``kernel`` first: Landlock (files, TCP, signals) and seccomp (system calls). Both are kernel
interfaces of Linux, called through ctypes: they can only be tightened, are inherited by every
process that is started, and need no privileges. Landlock binds the calling thread and those it
starts later, so a process confines itself before it starts threads.
"""
