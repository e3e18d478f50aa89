"""The black-box cases: which one a test shows, and how long it runs."""
import os

import pytest

FULL = os.environ.get("KEFU_SOAK") == "1"

case = pytest.mark.case  # @case("8a"): the test shows this case of the list in docs/cases.md


def pick(scaled, full):
    """A duration, count or bound: seconds in `make test`, full length in `make soak`. Bounds on times are wide in
    `make test`, which runs beside others: the failures that the cases are about are ten times as far off."""
    return full if FULL else scaled
