#!/usr/bin/env python3
"""Accuracy on public data sets, each trained on its own train split with the shipped defaults.

usage: bench/accuracy.py DATA [--only NAME ...] [--json FILE]

DATA is a folder with banking77/, clinc150/, bitext-customer-support/, xsid-0.7/ and snips/ as their sources
publish them. Test texts that also occur in the training split, or translate one that does, are left out.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEFU = os.environ.get("KEFU", str(ROOT / "bin/kefu"))
BITEXT = "bitext:bitext-customer-support/Bitext_Sample_Customer_Service_{}_Dataset.csv"

# name, training data, test data, data of the out-of-scope threshold
SETS = [
    ("banking77", "banking:banking77/train.csv", {"en": "banking:banking77/test.csv"}, None),
    ("clinc150", "clinc:clinc150/data_full.json.gz#train", {"en": "clinc:clinc150/data_full.json.gz#test"},
     "clinc:clinc150/data_full.json.gz#val"),
    ("bitext", BITEXT.format("Training"), {"en": BITEXT.format("Testing")}, None),
    ("xsid", "conll:xsid-0.7/en.valid.conll",
     {code: f"conll:xsid-0.7/{code}.test.conll" for code in ("en", "zh", "ja", "de", "ar")}, None),
    ("snips", "snips:snips#train_full",
     {"en": "snips:snips#validate"}, None),
]


def kefu(data, *arguments):
    """Runs the binary in the data folder, so that specs stay short; returns standard output."""
    done = subprocess.run([KEFU, *arguments], cwd=data, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"kefu {' '.join(arguments)}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def settings(models):
    return ["--set", f"models.repository={models}", "--set", f"models.encoder={ROOT}/models/encoders/e5-small",
            "--set", f"language.model_path={ROOT}/models/language/lid.176.ftz"]


def measure(data, models, name, train, tests, validation):
    kefu(data, "train", train, "--name", name, "--lenient", *settings(models))
    for language, test in tests.items():
        report = models / f"{name}.{language}.json"
        extra = ["--validation", validation] if validation else []
        kefu(data, "evaluate", test, "--model", name, "--exclude", train, "--json", str(report), *extra,
             *settings(models))
        yield language, json.loads(report.read_text())["overall"]


def summary(figures):
    scope = figures["out_of_scope"]
    return {"texts": figures["texts"], "intent_accuracy": figures["intent"]["accuracy"],
            "slot_f1": figures["slots"]["overall"]["f1"], "auroc": scope["auroc"],
            "at_threshold": scope["at_threshold"],
            "calibration_error": figures["calibration"]["expected_calibration_error"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", choices=[name for name, *_ in SETS])
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, train, tests, validation in SETS:
            if options.only and name not in options.only:
                continue
            for language, overall in measure(options.data, pathlib.Path(folder), name, train, tests, validation):
                figures[f"{name}.{language}"] = short = summary(overall)
                print(name, language, json.dumps(short), flush=True)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
