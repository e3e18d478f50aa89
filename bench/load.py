"""Load from wrk: real messages over keep-alive connections."""
import json
import pathlib
import re
import shutil
import subprocess

SCRIPT = pathlib.Path(__file__).with_name("messages.lua")


def drive(server, bodies, connections, seconds, first=0, heads=False):
    """One run of wrk, starting at the body `first`; what messages.lua prints, rates and the server's CPU."""
    if not shutil.which("wrk"):
        raise SystemExit("wrk is missing: run scripts/setup bench")
    cpu = server.cpu_seconds()
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "-s", SCRIPT,
               server.url + "/model/parse", "--", bodies, str(first)]
    command += ["heads"] if heads else []
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
