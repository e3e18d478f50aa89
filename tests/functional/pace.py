"""How long the black-box tests run: seconds in `make test`, at full length in `make soak`."""
import os

FULL = os.environ.get("KEFU_SOAK") == "1"


def pick(scaled, full):
    """A duration, count or rate for the length at hand."""
    return full if FULL else scaled
