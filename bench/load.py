"""Load from wrk over keep-alive connections."""
import json
import pathlib
import re
import shutil
import subprocess

FOLDER = pathlib.Path(__file__).parent


def wrk(server, script, path, arguments, connections, seconds, prefix=()):
    """One run; what the script prints, rates and the server's CPU. Every request must be answered."""
    if not shutil.which("wrk"):
        raise SystemExit("wrk is missing: run scripts/setup bench")
    cpu = server.cpu_seconds()
    command = [*prefix, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "-s", FOLDER / script,
               server.url + path, "--", *map(str, arguments)]
    done = subprocess.run(command, text=True, capture_output=True)
    found = re.search(r"^result (.*)$", done.stdout, re.M)
    if not found:
        raise SystemExit(f"wrk failed: {done.stdout}{done.stderr}")
    run = json.loads(found.group(1))
    if run["refused"] or run["lost"] or not run["requests"]:
        raise SystemExit(f"{server.url}: {run['refused']} requests were refused, {run['lost']} lost "
                         f"of {run['requests']}: the server must answer every message")
    cpu = server.cpu_seconds() - cpu
    server.settle()
    return run | {"requests_per_s": run["requests"] / run["seconds"], "cpu_ms": 1000 * cpu / run["requests"]}


def drive(server, bodies, connections, seconds, first=0, heads=False):
    """Messages in turn to /model/parse, starting at the body `first`."""
    return wrk(server, "messages.lua", "/model/parse", [bodies, first, *(["heads"] if heads else [])], connections,
               seconds)


def post(server, path, body, connections, seconds, prefix=()):
    """The body in the file, again and again."""
    return wrk(server, "post.lua", path, [body], connections, seconds, prefix)
