"""What the operating system is asked to forbid this process, whatever code runs in it.

In: which files may be read and written, whether there is a network, whether programs may be
started. Out: a process that the kernel holds to it, and a word on what this kernel could not do.
Must not know documents, engines or windows. Standard library only, so that the window, which must
not import heavy libraries, can use it before it loads Qt.

Open ``landlock`` (files, TCP, signals) and ``seccomp`` (system calls) first. Both are kernel
interfaces of Linux, called through ctypes: they can only be tightened, are inherited by every
process that is started, and need no privileges. Landlock binds the calling thread and those it
starts later, so a process confines itself before it starts threads.
"""
