"""The most that this machine's arithmetic allows: FP32 products of large matrices, by numpy's BLAS on all cores."""
import time

import numpy

SIDE = 2048


def peak_flops(repeats=8):
    """Floating-point operations per second; the best of the repeats."""
    a, b = (numpy.random.default_rng(seed).random((SIDE, SIDE), dtype=numpy.float32) for seed in (1, 2))
    numpy.matmul(a, b)
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        numpy.matmul(a, b)
        best = min(best, time.perf_counter() - start)
    return 2 * SIDE**3 / best


def encoder_flops(layers, hidden, inner):
    """Of one token in the matrix products with a BERT encoder's weights; those of attention among a text's own
    tokens come on top."""
    return 2 * layers * (4 * hidden * hidden + 2 * hidden * inner)
