"""A client is a program that is run against the server; what came of it."""
import dataclasses
import subprocess

LIMIT_S = 120


@dataclasses.dataclass(frozen=True)
class Outcome:
    client: str
    calls: str
    passed: bool
    by_design: str = ""  # why it is not expected to pass, if it is not
    words: str = ""      # its last lines

    @property
    def result(self):
        if self.passed:
            return "passes"
        return "refused, by design" if self.by_design else "FAILS"

    @property
    def acceptable(self):
        return self.passed or bool(self.by_design)


def run(command, environment=None, limit_s=LIMIT_S):
    """(exit status, output and errors together); a program that takes longer is killed and has failed."""
    try:
        done = subprocess.run([str(word) for word in command], env=environment, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=limit_s)
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(errors="replace") + f"\nstill running after {limit_s} s"
    return done.returncode, done.stdout


def last_lines(output, count=3):
    """Without the places that a Python traceback names."""
    lines = [line.strip() for line in output.splitlines()]
    said = [line for line in lines if line and not line.startswith(("File ", "raise ", "^", "Traceback "))]
    return "\n".join(said[-count:])
