"""Starts and stops the file server `range_server.py`, and reads its counts."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path


class Far:
    """A server of a folder's files, which runs until it is closed."""

    def __init__(self, folder: Path, latency: float):
        program = Path(__file__).with_name("range_server.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program), str(folder), str(latency)],
            stdout=subprocess.PIPE, text=True)
        port = int(self._process.stdout.readline())
        self._root = f"http://127.0.0.1:{port}"
        # No proxy.
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}))

    def url(self, path: Path) -> str:
        return f"{self._root}/{path.name}"

    def counts(self) -> dict[str, int]:
        """Requests and bytes since the last call."""
        with self._opener.open(f"{self._root}/counts") as answer:
            return json.load(answer)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
