"""How much memory there is: what does not fit is refused with its number before it is asked for."""

import os
from pathlib import Path

from gambol.errors import TooLargeError

GROUP = Path("/sys/fs/cgroup")  # of the container or service that this process runs in
UNKNOWN = 1 << 34  # [bytes] taken to be free where the system does not say


def available_memory() -> int:
    """[bytes] that this process can still have, as far as the system says."""
    found = [_of_machine(), _of_group(), _of_process()]
    return min((room for room in found if room is not None), default=UNKNOWN)


def refuse_too_large(what: str, needed: float) -> None:
    """Raises TooLargeError when `needed` bytes are more than there are; `what` begins the message."""
    if needed > 1e6 and needed > (room := available_memory()):
        raise TooLargeError(what, needed=needed, available=room)


def _of_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return None


def _of_group() -> int | None:
    try:
        limit, used = (
            Path(GROUP, name).read_text(encoding="ascii").strip() for name in ("memory.max", "memory.current")
        )
        return max(int(limit) - int(used), 0)
    except (OSError, ValueError):  # no group, or one without a limit ("max")
        return None


def _of_process() -> int | None:
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None
    return None if limit == resource.RLIM_INFINITY else max(limit - used, 0)
