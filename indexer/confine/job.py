"""Job objects of Windows, whose processes end with their creator and have a memory limit.

On Unix the same is done by process groups, the parent-death signal and a limited address space.
"""

from __future__ import annotations

import ctypes
import sys

_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_PROCESS_MEMORY, _DIE_ON_FAULT, _KILL_ON_CLOSE = 0x100, 0x400, 0x2000
_SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001


class _Basic(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_longlong),
        ("PerJobUserTimeLimit", ctypes.c_longlong),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _Extended(ctypes.Structure):
    _fields_ = (
        ("Basic", _Basic),
        ("Io", ctypes.c_ulonglong * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class WindowsJob:
    """A job with a process, which has not started others yet, and all that it will start.

    The processes end with the job or with this process. Each may commit ``memory`` bytes; 0 means
    no limit. Raises ``OSError`` if the system refuses, and on other systems than Windows.
    """

    def __init__(self, pid: int, memory: int = 0) -> None:
        if sys.platform == "win32":
            self._system = system = ctypes.WinDLL("kernel32", use_last_error=True)
            for function in (system.CreateJobObjectW, system.OpenProcess):
                function.restype = ctypes.c_void_p
            self._handle = ctypes.c_void_p(system.CreateJobObjectW(None, None))
            limits = _Extended()
            limits.Basic.LimitFlags = _KILL_ON_CLOSE | _DIE_ON_FAULT
            if memory:
                limits.Basic.LimitFlags |= _PROCESS_MEMORY
                limits.ProcessMemoryLimit = memory
            given, size = ctypes.byref(limits), ctypes.sizeof(limits)
            self._check(system.SetInformationJobObject(self._handle, _EXTENDED_LIMITS, given, size))
            process = ctypes.c_void_p(system.OpenProcess(_SET_QUOTA_AND_TERMINATE, 0, pid))
            self._check(process.value)
            try:
                self._check(system.AssignProcessToJobObject(self._handle, process))
            finally:
                system.CloseHandle(process)
        else:
            raise OSError(f"no job can limit process {pid} to {memory} bytes on this system")

    def end(self) -> None:
        """End all processes in the job; idempotent."""
        if sys.platform == "win32":
            handle, self._handle = self._handle, ctypes.c_void_p()
            if handle.value:
                self._system.TerminateJobObject(handle, 1)
                self._system.CloseHandle(handle)

    def _check(self, answer: object) -> None:
        if sys.platform == "win32" and not answer:
            error = ctypes.WinError(ctypes.get_last_error())
            self.end()
            raise error
