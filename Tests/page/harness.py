"""Servers, browsers and checks that the tests of the page share."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

root = Path(__file__).resolve().parents[2]
policy = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


class Skip(Exception):
    """The reason to skip a test."""


def free_port():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


class Bench:
    """A browser and the servers of a run; each test has its own page."""

    def __init__(self, target, worker=0):
        """`worker` is the number of the process, for the names of its logs."""
        self.worker = worker
        self.url = target.rstrip('/') if target.startswith('http') else None
        self.binary = None if self.url else str(Path(target).resolve())
        # For a server without the page: a program in front of it that serves the page.
        self.proxy = os.environ.get('PAGE_PROXY')
        self.shots = Path(os.environ.get('PAGE_SHOTS', '/tmp/plumb-page-shots'))
        self.shots.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix='plumb-page-'))
        self.processes = []
        self.servers = {}
        self.page = self.context = None

    def __enter__(self):
        self.playwright = sync_playwright().start()
        chromium = next((path for path in ('/usr/bin/chromium', '/usr/bin/chromium-browser')
                         if os.path.exists(path)), None)
        self.browser = self.playwright.chromium.launch(
            executable_path=os.environ.get('CHROMIUM', chromium), args=['--no-sandbox'])
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.playwright.stop()
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    # Servers

    def server(self, name, make):
        """The address of a server by name; `make(folder)` returns its arguments the first time."""
        if self.url:
            if name != 'main':
                raise Skip('it needs its own server: give the binary')
            return self.url
        if name not in self.servers:
            folder = self.folder / name
            folder.mkdir()
            arguments = make(folder)
            own = []
            if '--leaflet' in arguments and self.proxy:
                at = arguments.index('--leaflet')
                own = arguments[at:at + 2]
                arguments = arguments[:at] + arguments[at + 2:]
            port = free_port()
            log = open(self.shots / f'server-{name}-{self.worker}.log', 'w')
            self.start([self.binary, *arguments, '--port', str(port)], log)
            address = f'http://127.0.0.1:{port}'
            self.wait(address + '/health')
            if self.proxy:
                front = free_port()
                self.start([sys.executable, self.proxy, '--server', address, '--port', str(front),
                            '--page', str(root / 'Sources/CPage/page'), *own], log)
                address = f'http://127.0.0.1:{front}'
                self.wait(address + '/health')
            self.servers[name] = address
        return self.servers[name]

    def start(self, words, log):
        self.processes.append(subprocess.Popen(words, stdout=log, stderr=log))

    @staticmethod
    def wait(address):
        for _ in range(300):
            try:
                urllib.request.urlopen(address, timeout=5).read()
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f'{address} does not answer')

    def main(self):
        """The sample map with its network and two monitors."""
        def make(folder):
            files = root / 'rasters'
            sights = folder / 'sights'
            sights.mkdir()
            shutil.copy(files / 'garden_sights.geojson', sights)
            monitor = {'fences': 'garden_sights.geojson', 'buffer': 10,
                       'message': '$fencefeature.name', 'explain': True}
            (sights / 'sights.json').write_text(json.dumps(monitor))
            return [str(files / 'cape.json'), '--network', str(files / 'gas.json'),
                    '--monitor', f'garden={files / "garden.json"}',
                    '--monitor', f'sights={sights / "sights.json"}']
        return self.server('main', make)

    # Pages

    def begin(self, name):
        self.name = name
        self.faults = []
        self.allowed = []
        self.requests = []

    def open(self, address, fragment='', *, width=1280, height=800, dark=False, touch=False,
             density=1, ready=True):
        self.context = self.browser.new_context(
            viewport={'width': width, 'height': height}, has_touch=touch,
            device_scale_factor=density,
            color_scheme='dark' if dark else 'light', accept_downloads=True)
        page = self.page = self.context.new_page()
        page.set_default_timeout(10_000)
        page.on('console', lambda message: message.type in ('error', 'warning')
                and self.faults.append(f'{message.type}: {message.text}'))
        page.on('pageerror', lambda error: self.faults.append(f'exception: {error}'))
        page.on('request', lambda request: self.requests.append(request.url))
        self.origin = address
        page.goto(address + '/' + fragment)
        if ready:
            page.wait_for_selector('html[data-ready]')
        return page

    def allow(self, text):
        """Ignores a line of the console, such as one caused by a request that fails on purpose."""
        self.allowed.append(text)

    def check(self):
        """The conditions of every test: nothing in the console, and no request to another host."""
        faults = [fault for fault in self.faults
                  if not any(text in fault for text in self.allowed)]
        assert not faults, f'console: {faults}'
        others = [url for url in self.requests
                  if not url.startswith((self.origin + '/', 'data:', 'blob:'))]
        assert not others, f'other hosts: {others}'

    def end(self):
        if self.context:
            self.context.close()
        self.context = self.page = None

    def shot(self, name):
        if self.page:
            try:
                self.page.screenshot(path=self.shots / f'{name}.png')
            except Exception as error:
                print(f'no screenshot: {error}')

    # Checks

    def tool(self, name):
        self.page.get_by_role('tab', name=name).click()
        self.page.wait_for_selector(f'[role=tab][aria-selected=true]:has-text("{name}")')
        return self.page.locator('[role=tabpanel]:not([hidden])')

    def status(self, text, timeout=10_000):
        """Waits until the tool's status line contains some text."""
        line = self.page.locator('[role=tabpanel]:not([hidden]) .status')
        line.filter(has_text=text).wait_for(timeout=timeout)
        return line.inner_text()

    def at(self, lng, lat):
        """The position of a point in the window; the map's view has to be in the address."""
        return self.page.evaluate('''([lng, lat]) => {
          const link = new URLSearchParams(location.hash.slice(1));
          const view = link.get('view').split(',').map(Number);
          const world = 256 * 2 ** view[2];
          const down = (lat) => {
            const sine = Math.sin(lat * Math.PI / 180);
            return (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * world;
          };
          const box = document.getElementById('map').getBoundingClientRect();
          return [box.x + box.width / 2 + (lng - view[0]) / 360 * world,
            box.y + box.height / 2 + down(lat) - down(view[1])];
        }''', [lng, lat])

    def tap(self, lng, lat):
        self.page.mouse.click(*self.at(lng, lat))

    def settled(self):
        """Waits until the picture of the map is loaded."""
        self.page.wait_for_selector('.leaflet-picture-pane img.picture')
        self.page.wait_for_timeout(150)
