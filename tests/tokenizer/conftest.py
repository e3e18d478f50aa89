import pathlib
import sys

import pytest
from tokenizers import Tokenizer

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import builders  # noqa: E402


@pytest.fixture(scope="session")
def tokenizer_file(tmp_path_factory):
    """tokenizer_file(name): the path of a tokenizer.json, built once a session."""
    folder = tmp_path_factory.mktemp("tokenizers")
    built = {}

    def get(name):
        if name not in built:
            built[name] = builders.BUILDERS[name](folder / f"{name}.json")
        return built[name]

    return get


@pytest.fixture(scope="session")
def reference():
    """reference(path): the Hugging Face tokeniser without padding and truncation."""
    def load(path):
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    return load
