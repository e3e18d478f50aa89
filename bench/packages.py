"""Packages to measure with: one trained on fewer texts, one whose graph only copies its input."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import messages
import servers


def thinned_domains(folder, texts):
    """Copies of the reference domains' training files with about `texts` of their examples, evenly chosen."""
    files = sorted(servers.ROOT.glob("domains/*/nlu/*.yml"))
    contents = {path: path.read_text(encoding="utf-8").splitlines(keepends=True) for path in files}
    every = sum(bool(messages.EXAMPLE.match(line)) for lines in contents.values() for line in lines)
    number = 0
    for path, lines in contents.items():
        kept = []
        for line in lines:
            if messages.EXAMPLE.match(line):
                number += 1
                if number * texts // every == (number - 1) * texts // every:
                    continue
            kept.append(line)
        copy = folder / path.relative_to(servers.ROOT / "domains")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("".join(kept), encoding="utf-8")
    return sorted(folder.iterdir())


def train(repository, domains):
    """A package trained in `repository` from domain folders; some intents may be left with few texts."""
    command = [servers.KEFU, "train", "--lenient", *map(str, domains), "--set", f"models.repository={repository}"]
    done = subprocess.run(command, cwd=servers.ROOT, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"kefu train failed:\n{done.stderr}")
    return servers.newest_package(repository)


def with_fake_graph(package, repository):
    """A repository whose default model is `package` with a plan of the fake engine as its graph."""
    copy = repository / "default" / "1"
    shutil.copytree(package, copy, copy_function=lambda source, link: os.symlink(os.path.abspath(source), link))
    manifest = json.loads((copy / "encoder/manifest.json").read_text())
    plan = json.dumps({"hidden": manifest["hidden"]}).encode()
    manifest["files"]["body.onnx"] = {"sha256": hashlib.sha256(plan).hexdigest(), "bytes": len(plan)}
    for name, content in (("body.onnx", plan), ("manifest.json", json.dumps(manifest).encode())):
        (copy / "encoder" / name).unlink()
        (copy / "encoder" / name).write_bytes(content)
    return repository
