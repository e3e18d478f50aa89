"""Triton's own tests of its asyncio clients (qa of its server repository): every call of a client once.

They ask localhost on Triton's ports and count the models of the repository.
"""
import re

import kefu_server
import programs
from kefu_server import TRITON_PORTS, are_free
from programs import Outcome
from triton_examples import SHARED_MEMORY

POLLING = "needs a server that polls its repository; ours takes orders"
FILES = {"L0_http/python_http_aio_test.py": 7, "L0_grpc/python_grpc_aio_test.py": 8}  # and how many models
RESULT = re.compile(r"^(test_\w+) .*\.\.\. (ok|FAIL|ERROR)$", re.MULTILINE)
COUNT = re.compile(r"^Ran (\d+) tests", re.MULTILINE)


def reason(test):
    """Why it is not expected to pass; empty: it is."""
    if "shared_memory" in test:
        return SHARED_MEMORY
    return POLLING if test in ("test_load_model", "test_unload_model") else ""


def outcomes(python, folder, arguments):
    for file, models in FILES.items():
        if not are_free(TRITON_PORTS):
            yield Outcome("Triton qa", file, False, words="ports 8000 and 8001 are in use here")
            continue
        with kefu_server.serving(arguments, models, *TRITON_PORTS):
            output = programs.run([python, "-W", "ignore", folder / file, "-v"])[1]
        results, count = RESULT.findall(output), COUNT.search(output)
        if not count or int(count.group(1)) != len(results):
            yield Outcome("Triton qa", file, False, words=programs.last_lines(output))
        for test, result in results:
            yield Outcome("Triton qa", f"{file.split('/')[0]}: {test}", result == "ok", reason(test), result)
