"""`kefu bench` as a source of load, and what a process holds meanwhile."""
import json
import pathlib
import re
import subprocess

import numpy
import requests

from conftest import KEFU, ROOT


def command(folder, url, *options):
    return [KEFU, "bench", url, *(str(option) for option in options), "--json", str(folder / "load.json")]


def report(folder):
    return json.loads((folder / "load.json").read_text())


def load(folder, url, *options):
    """Blocks; the report."""
    done = subprocess.run(command(folder, url, *options), cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return report(folder)


class Load:
    """The same while the `with` runs; `.report` afterwards."""

    def __init__(self, folder, url, *options):
        self.folder = folder
        self.process = subprocess.Popen(command(folder, url, *options), cwd=ROOT, text=True, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def runs(self):
        return self.process.poll() is None

    def __exit__(self, *error):
        _, complaint = self.process.communicate()
        assert self.process.returncode == 0 or error[0], complaint
        if not error[0]:
            self.report = report(self.folder)


def body_file(folder, body, name="body.json"):
    file = folder / name
    file.write_text(json.dumps(body))
    return file


def anonymous_mib(server):
    """RssAnon of the server's process."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+) kB", status).group(1)) / 1024


def slope(values):
    """By least squares, per value."""
    return numpy.polyfit(range(len(values)), values, 1)[0]


def quantile_ms(server, name, share, **labels):
    """Of a histogram in seconds: the least bound of a bucket that at least this share is below."""
    total = server.metric(f"{name}_count", **labels)
    page = requests.get(server.metrics, timeout=10, verify=server.verify).text
    bounds = set(re.findall(rf'^{name}_bucket{{.*le="([0-9.e+-]+)"', page, re.MULTILINE))
    for bound in sorted(bounds, key=float):
        if server.metric(f"{name}_bucket", le=bound, **labels) >= share * total:
            return round(1000 * float(bound), 3)
    return float("inf")
