"""The public clients, at the versions of requirements/: wheels in a venv of their own, and perf_analyzer."""
import hashlib
import os
import re
import stat
import subprocess
import sys
import zipfile

from kefu_server import ROOT

CLIENTS = ROOT / "requirements/clients.txt"
ANALYZER = ROOT / "requirements/perf-analyzer.txt"


def once(folder, of, make):
    """Calls `make` unless it has been called with this content of the file `of`."""
    stamp, digest = folder / "made-from", hashlib.sha256(of.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        print(f"getting what {of.relative_to(ROOT)} names into {folder}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        make()
        stamp.write_text(digest)


def pip(python, verb, requirements, *options):
    subprocess.run([python, "-m", "pip", verb, "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary",
                    ":all:", "--require-hashes", "-r", requirements, *options], check=True, stdout=sys.stderr)


def python_of_clients(cache):
    """A Python that has tritonclient and kserve."""
    venv = cache / "venv"
    python = venv / "bin/python"

    def make():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        pip(python, "install", CLIENTS)

    once(venv, CLIENTS, make)
    return python


def perf_analyzer(cache):
    """(its path, the environment it needs). The wheels on PyPI that are named after it need a C library of 2024;
    this one, inside an older tritonclient, also runs on Debian 12. Of Debian it needs libb64."""
    folder = cache / "perf_analyzer"

    def make():
        pip(python_of_clients(cache), "download", ANALYZER, "--platform", "manylinux1_x86_64", "--dest", folder)
        for wheel in folder.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(folder)
        subprocess.run(["apt-get", "download", "--quiet", "libb64-0d"], cwd=folder, check=True, stdout=sys.stderr)
        subprocess.run(["dpkg", "-x", next(folder.glob("libb64*.deb")), folder], check=True)

    once(folder, ANALYZER, make)
    program = next(folder.glob("tritonclient-*.data/data/bin/perf_analyzer"))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    libraries = [next(folder.glob("**/libcudart.so.12")).parent, next(folder.glob("usr/lib/*/libb64.so.0d")).parent]
    return program, {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(map(str, libraries))}


def versions():
    """The clients' own versions, as a sentence."""
    def version(name, requirements):
        return re.search(rf"^{name}==(\S+)", requirements.read_text(), re.MULTILINE).group(1)

    return (f"tritonclient {version('tritonclient', CLIENTS)}, kserve {version('kserve', CLIENTS)}, "
            f"perf_analyzer of tritonclient {version('tritonclient', ANALYZER)}.")
