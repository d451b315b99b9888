"""A PostgreSQL database in a temporary folder, on a local socket."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

SETTINGS = {
    "listen_addresses": "", "shared_buffers": "1GB", "work_mem": "512MB",
    "maintenance_work_mem": "512MB", "max_parallel_workers": "2",
    "max_parallel_workers_per_gather": "2", "fsync": "off",
    "synchronous_commit": "off", "full_page_writes": "off", "jit": "off",
    "autovacuum": "off", "parallel_setup_cost": "0",
    "parallel_tuple_cost": "0", "min_parallel_table_scan_size": "0",
    "max_wal_size": "4GB"}


class Server:
    """A database server, which stops at the end of the context."""

    def __init__(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        if not found:
            sys.exit("PostgreSQL is not installed")
        self.programs = os.path.dirname(found[-1])
        self.folder = tempfile.mkdtemp(prefix="plumb-postgis-")
        # PostgreSQL does not run as root.
        self.user = {"user": "postgres"} if os.getuid() == 0 else {}
        if self.user:
            shutil.chown(self.folder, "postgres")
        os.chmod(self.folder, 0o755)

    def run(self, *command, **options):
        return subprocess.run(command, check=True, cwd=self.folder,
                              stdout=subprocess.PIPE, text=True,
                              **self.user, **options).stdout

    def __enter__(self):
        self.run(f"{self.programs}/initdb", "-D", "data", "-A", "trust",
                 "-U", "postgres", "--no-sync")
        with open(f"{self.folder}/data/postgresql.conf", "a") as file:
            file.writelines(f"{name} = '{value}'\n"
                            for name, value in SETTINGS.items())
            file.write(f"unix_socket_directories = '{self.folder}'\n")
        self.run(f"{self.programs}/pg_ctl", "-D", "data", "-w", "-l", "log",
                 "start")
        return self

    def __exit__(self, *_):
        self.run(f"{self.programs}/pg_ctl", "-D", "data", "-m", "immediate",
                 "stop")
        shutil.rmtree(self.folder)

    def ask(self, text):
        return self.run("psql", "-h", self.folder, "-U", "postgres", "-qAtX",
                        "-v", "ON_ERROR_STOP=1", input=text)

    def write(self, name, *columns):
        """Writes the rows of a table in the format of COPY."""
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            file.writelines("\t".join(map(str, row)) + "\n"
                            for row in zip(*columns))
        os.chmod(path, 0o644)
