"""Contexts that change a setting of PyTorch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Run the ``with`` block with one PyTorch thread, because the results depend on the number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def tensor_cores() -> Iterator[None]:
    """Let matrix products of float32 use the tensor cores of a GPU during the ``with`` block.

    Tensor cores round the factors to 10 bits after the point (TF32). Products on the CPU do not change.
    """
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
