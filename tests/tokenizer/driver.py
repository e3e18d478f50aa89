"""Runs the C++ driver kefu_encode_lines."""
import os
import pathlib
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRIVER = pathlib.Path(os.environ.get("KEFU_ENCODE_LINES", ROOT / "build/release/kefu_encode_lines"))


def pack(texts):
    encoded = [text if isinstance(text, bytes) else text.encode() for text in texts]
    return b"".join(struct.pack("<I", len(text)) + text for text in encoded)


def run(mode, tokenizer, texts=(), *arguments):
    if not DRIVER.exists():
        raise SystemExit(f"{DRIVER} is missing: build the target kefu_encode_lines or set KEFU_ENCODE_LINES")
    command = [str(DRIVER), mode, str(tokenizer), *map(str, arguments)]
    return subprocess.run(command, input=pack(texts), capture_output=True)


def encode(tokenizer, texts):
    """[(id, begin, end), ...] for each text."""
    done = run("encode", tokenizer, texts)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    results, at = [], 0
    for _ in texts:
        (count,) = struct.unpack_from("<I", done.stdout, at)
        at += 4
        results.append(list(struct.iter_unpack("<iII", done.stdout[at:at + 12 * count])))
        at += 12 * count
    return results


def seconds(mode, tokenizer, texts=(), *arguments):
    done = run(mode, tokenizer, texts, *arguments)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return [float(line) for line in done.stdout.split()]
