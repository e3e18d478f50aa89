"""The test texts of all domains and languages as customers write them: annotations stripped, order mixed."""
import json
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLE = re.compile(r"\s+- (.+)$")
ANNOTATION = re.compile(r"\[([^\]\[]+)\](?:\([^()]+\)|\{[^{}]*\})")


def read_messages():
    """Always the same texts in the same order."""
    texts = []
    for path in sorted(ROOT.glob("domains/*/test/*.yml")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found = (EXAMPLE.match(line) for line in lines)
        texts += [ANNOTATION.sub(r"\1", match.group(1).strip()) for match in found if match]
    random.Random(1).shuffle(texts)
    return texts


def write_bodies(path, texts):
    """A file for messages.lua: the body of a request on each line."""
    path.write_text("".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts))
