"""A far server of files: byte ranges, a delay before each reply, and counts.

    range_server.py FOLDER SECONDS

Prints its port. `/counts` returns the number of requests and the bytes of bodies since the last
such request; it is not counted and has no delay.
"""

import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLDER, SECONDS = Path(sys.argv[1]), float(sys.argv[2])
FILES = {f"/{path.name}": path.read_bytes() for path in FOLDER.iterdir()
         if path.is_file()}
COUNTS = "/counts"
PIECE = 1 << 16
RANGE = re.compile(r"bytes=(\d*)-(\d*)$")
counts = {"requests": 0, "bytes": 0}
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    """One connection, which is kept open."""

    protocol_version = "HTTP/1.1"
    # Otherwise the end of a reply waits for an acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = 1 << 14

    def do_GET(self):
        self._answer(with_body=True)

    def do_HEAD(self):
        self._answer(with_body=False)

    def _answer(self, with_body):
        if self.path == COUNTS:
            with lock:
                body = json.dumps(counts).encode()
                counts.update(requests=0, bytes=0)
            return self._send(200, body, {}, counted=False)
        time.sleep(SECONDS)
        data = FILES.get(self.path)
        status, body, headers = self._part(data)
        with lock:
            counts["requests"] += 1
        self._send(status, body if with_body else b"", headers, len(body))

    def _part(self, data):
        """Status, body and headers of the reply for a file."""
        if data is None:
            return 404, b"", {}
        headers = {"Accept-Ranges": "bytes", "ETag": f'"{len(data):x}"',
                   "Last-Modified": "Sun, 22 Nov 2026 00:00:00 GMT"}
        match = RANGE.match(self.headers.get("Range", ""))
        if not match or match[0] == "bytes=-":
            return 200, data, headers
        first, last = match.groups()
        if first:
            start, end = int(first), min(int(last or len(data)),
                                         len(data) - 1)
        else:
            start, end = max(0, len(data) - int(last)), len(data) - 1
        if start > end:
            headers["Content-Range"] = f"bytes */{len(data)}"
            return 416, b"", headers
        headers["Content-Range"] = f"bytes {start}-{end}/{len(data)}"
        return 206, data[start:end + 1], headers

    def _send(self, status, body, headers, size=None, counted=True):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", len(body) if size is None else size)
        self.end_headers()
        # A client may close the connection early.
        for start in range(0, len(body), PIECE):
            piece = body[start:start + PIECE]
            self.wfile.write(piece)
            with lock:
                counts["bytes"] += len(piece) * counted

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 64
    daemon_threads = True

    def handle_error(self, request, address):
        """A client that closes the connection is not an error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, address)


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
