"""Speed of our tokenisers against Hugging Face `tokenizers`, one thread each, same texts, same run.

    python bench/tokenizer.py [--repeats 7] [NAME ...]

Theirs is the better of encode() in a loop and encode_batch() with parallelism off; runs alternate, and the
ratio printed is the median over the repeats.
"""
import argparse
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/tokenizer"))
import builders  # noqa: E402
import corpus  # noqa: E402
import driver  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402


def mixed_texts():
    texts = corpus.ordinary_texts()
    random.Random(1).shuffle(texts)
    return texts + [" ".join(texts[i:i + 8]) for i in range(0, 2000, 8)]


def timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compare(path, texts, repeats):
    """[(our seconds, their seconds by encode, by encode_batch), ...]"""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def one_by_one():
        for text in texts:
            tokenizer.encode(text)

    one_by_one()  # fills their word cache
    return [(min(driver.seconds("time", path, texts, 2)), timed(one_by_one),
             timed(lambda: tokenizer.encode_batch(texts))) for _ in range(repeats)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(builders.BUILDERS))
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    texts = mixed_texts()
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{len(texts)} texts, {megabytes:.2f} MB, {options.repeats} repeats")
    print(f"{'tokeniser':24}{'ours MB/s':>10}{'encode':>10}{'batch':>10}{'ratio':>8}{'min':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names:
            path = builders.BUILDERS[name](pathlib.Path(folder) / f"{name}.json")
            rows = compare(path, texts, options.repeats)
            ours, loop, batch = (megabytes / statistics.median(column) for column in zip(*rows))
            ratios = [min(row[1:]) / row[0] for row in rows]
            print(f"{name:24}{ours:10.1f}{loop:10.2f}{batch:10.2f}{statistics.median(ratios):8.1f}{min(ratios):8.1f}",
                  flush=True)


if __name__ == "__main__":
    main()
