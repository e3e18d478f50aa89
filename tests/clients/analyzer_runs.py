"""perf_analyzer: that it completes in its modes, and gets the figures that the server is to give it.

Its own figures are not looked at.
"""
import json
import pathlib
import re
import tempfile

import programs
from programs import Outcome

# Three windows a step; their figures may differ 1,000-fold, as on a busy machine, which says nothing of a server.
WINDOWS = ("--measurement-interval", "1000", "--stability-percentage", "100000")
CONCURRENCY = ("--concurrency-range", "1:4:3")
RATE = ("--request-rate-range", "50:100:50")
SERVER_FIGURES = re.compile(r"Server: *\n.*?Inference count: [1-9]\d*.*?queue \d+ usec \+ compute input \d+ usec \+ "
                            r"compute infer \d+ usec \+ compute output \d+ usec", re.DOTALL)
STEPS = 2  # of each range above
ADD_SUB = {"data": [{"INPUT0": [1] * 16, "INPUT1": [2] * 16}]}
RUNS = {
    "simple, concurrency 1 and 4": ("simple", CONCURRENCY),
    "simple, 50 and 100 requests/s": ("simple", RATE),
    "simple, batch 8, asynchronous": ("simple", ("-b", "8", "--async", *CONCURRENCY)),
    "simple, data from a file": ("simple", ("--input-data", "{data}", *CONCURRENCY)),
    "simple_string, concurrency 1 and 4": ("simple_string", ("--string-data", "7", *CONCURRENCY)),
    "identity_fp32, shape given": ("identity_fp32", ("--shape", "INPUT0:64", *CONCURRENCY)),
}
STREAM = {"simple, stream": ("simple", ("--streaming", "--async", *CONCURRENCY))}


def outcomes(program, environment, addresses):
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "data.json"
        data.write_text(json.dumps(ADD_SUB))
        for protocol in ("http", "grpc"):
            for calls, (model, options) in (RUNS if protocol == "http" else RUNS | STREAM).items():
                options = [option.format(data=data) for option in options]
                status, output = programs.run([program, "-m", model, "-i", protocol, "-u", addresses[protocol],
                                               *WINDOWS, *options], environment)
                steps = len(SERVER_FIGURES.findall(output))
                words = programs.last_lines(output) + f"\nserver-side figures for {steps} of {STEPS} steps"
                yield Outcome("perf_analyzer", f"{protocol}: {calls}", status == 0 and steps == STEPS, "", words)
