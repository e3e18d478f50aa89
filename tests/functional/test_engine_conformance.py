"""Every engine built in passes the conformance suite of src/engine, against ONNX Runtime's FP32 states."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

from conftest import ROOT

KEFU_TESTS = os.environ.get("KEFU_TESTS", str(ROOT / "build/release/kefu_tests"))


@pytest.fixture(scope="module")
def golden():
    """The folder of golden files, made or brought up to date."""
    folder = pathlib.Path(os.environ.get("KEFU_ENGINE_GOLDEN", ROOT / ".cache/engine-golden"))
    subprocess.run([sys.executable, ROOT / "scripts/make-engine-golden", folder], check=True)
    return folder


def test_every_engine_conforms(golden, tmp_path):
    report = tmp_path / "report.json"
    command = [KEFU_TESTS, "--gtest_filter=*EngineConformance.*", f"--gtest_output=json:{report}"]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=900,
                          env=os.environ | {"KEFU_ENGINE_GOLDEN": str(golden)})
    assert done.returncode == 0, done.stdout + done.stderr
    tests = [test for suite in json.loads(report.read_text())["testsuites"] for test in suite["testsuite"]]
    for test in tests:
        print(test["name"], test["result"], test.get("worst_error", ""))
    assert [test["name"] for test in tests if test["result"] != "COMPLETED"] == []
    measured = {test["name"] for test in tests if "worst_error" in test}
    for subject in ("openvino_e5_small", "openvino_minilm", "fake_by_hand"):
        for test in ("EqualsTheReference", "ARowIsTheSameAloneAndAmongOthers", "TwoContextsRunAtTheSameTime"):
            assert f"{test}/{subject}" in measured
