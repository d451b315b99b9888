"""A control group that limits the memory of a server and its helper processes."""

import os
import tempfile
import time
from pathlib import Path

ROOT = Path('/sys/fs/cgroup')


def own_group():
    """The group of this process in version 1; the root of the groups if it is not visible."""
    for line in Path('/proc/self/cgroup').read_text().splitlines():
        _, controllers, path = line.split(':', 2)
        folder = ROOT / 'memory' / path.lstrip('/')
        if 'memory' in controllers.split(',') and folder.is_dir():
            return folder
    return ROOT / 'memory'


class MemoryGroup:
    """A group whose memory the kernel limits. If it cannot free enough, it ends a process of the group."""

    def __init__(self, folder, limit):
        self.folder = folder
        self.kills = 0
        self._limit(limit)

    @classmethod
    def make(cls, limit):
        """A new group; None on a machine that does not allow one."""
        is_first = (ROOT / 'memory').is_dir()
        root = own_group() if is_first else ROOT
        try:
            folder = Path(tempfile.mkdtemp(prefix='plumb-attack-', dir=root))
        except OSError:
            return None
        try:
            return (First if is_first else Second)(folder, limit)
        except OSError:
            folder.rmdir()
            return None

    @property
    def killed(self):
        """The number of processes that the kernel has ended."""
        return self._number(*self.KILLS) if self.folder.exists() else self.kills

    @property
    def memory(self):
        """The memory of the processes in bytes, without the cache of files."""
        return sum(self._number('memory.stat', name) for name in self.PARTS)

    def enter(self):
        """Moves the current process into the group."""
        (self.folder / 'cgroup.procs').write_text(str(os.getpid()))

    def _number(self, file, name):
        for line in (self.folder / file).read_text().splitlines():
            key, _, value = line.partition(' ')
            if key == name:
                return int(value)
        raise OSError(f'{file} has no {name}')

    def remove(self):
        """Removes the group after its processes have ended."""
        for _ in range(50):
            try:
                self.kills = self.killed
            except OSError:
                pass
            try:
                self.folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.1)


class First(MemoryGroup):
    """A group of version 1."""

    KILLS = ('memory.oom_control', 'oom_kill')
    PARTS = ('total_rss', 'total_shmem')

    def _limit(self, limit):
        (self.folder / 'memory.limit_in_bytes').write_text(str(limit))
        try:
            (self.folder / 'memory.memsw.limit_in_bytes').write_text(str(limit))
        except OSError:
            pass


class Second(MemoryGroup):
    """A group of version 2."""

    KILLS = ('memory.events', 'oom_kill')
    PARTS = ('anon', 'shmem')

    def _limit(self, limit):
        (self.folder / 'memory.max').write_text(str(limit))
        swap = self.folder / 'memory.swap.max'
        if swap.exists():
            swap.write_text('0')
