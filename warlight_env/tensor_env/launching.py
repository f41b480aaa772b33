"""CUDA kernels that are compiled once, for arguments whose memory does not move."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from typing import Any, Final

from numba import cuda

from warlight_env.engine.cache import load_file, save_file, source_digests
from warlight_env.tensor_env import toolkit

#: The number of threads in a block. On an H200, 32 was faster than 64, 128 and 256 (`benchmarks/gpu_layout.py`).
THREADS: Final = 32


class Launcher:
    """A CUDA kernel with its arguments.

    Numba converts the arguments of a kernel at each call, which takes a microsecond for each of about 200 arrays. This
    class converts the arguments in `fixed` only once.

    Args:
        function: the kernel.
        name: a text that determines the code of the kernel, and contains a result of `Linker.digest`. The key of the
            compiled code on disk depends on `name`.
        fixed: the kernel's first arguments, nested NamedTuples of device arrays and numbers, which are the same in all
            calls. The launcher keeps the arrays in `fixed` alive.
        example: values of the other arguments; they determine Numba's types.
    """

    def __init__(
        self, function: Callable[..., Any], name: str, fixed: tuple[Any, ...], example: tuple[Any, ...] = ()
    ) -> None:
        self._fixed = fixed
        if toolkit.simulated():
            self._simulated = cuda.jit(function)
            return
        from numba.cuda.typing.typeof import typeof

        self._code = _code_of(function, name, tuple(map(typeof, (*fixed, *example))))
        self._words = [word for value in fixed for word in _words(value)]

    def __call__(self, threads: int, *arguments: Any) -> None:
        """Start the kernel for a number of threads.

        The call returns before the kernel has finished. arguments: the kernel's arguments after `fixed`.

        Raises:
            ValueError: an array in `arguments` is not contiguous. The kernel is compiled for contiguous arrays.
        """
        for value in arguments:
            _check_contiguous(value)
        if toolkit.simulated():
            self._simulated[-(-threads // 8), 8](*self._fixed, *arguments)
            return
        from cuda.core import LaunchConfig, launch

        words = self._words + [word for value in arguments for word in _words(value)]
        config = LaunchConfig(grid=-(-threads // THREADS), block=THREADS)
        launch(_stream(), config, self._code, *words)


#: The compiled kernels of this process, by their keys.
_codes: dict[str, Any] = {}


def _code_of(function: Callable[..., Any], name: str, kinds: tuple[Any, ...]) -> Any:
    """Return a compiled kernel for Numba's types of its arguments: from memory, from `cache_folder`, or compiled."""
    from cuda.core import ObjectCode

    key = _key(name, kinds)
    if key not in _codes:
        content = load_file(f"{key}.cubin")
        if content is None:
            with toolkit.compiling():
                library = cuda.jit(function).compile(kinds)._codelibrary
            content = library._entry_name.encode() + b"\0" + bytes(library.get_cubin().code)
            save_file(f"{key}.cubin", content)
        entry, _, cubin = content.partition(b"\0")
        _codes[key] = ObjectCode.from_cubin(cubin).get_kernel(entry.decode())
    return _codes[key]


def _key(name: str, kinds: tuple[Any, ...]) -> str:
    """Return the digest of everything that determines the code of a kernel."""
    import numba_cuda

    capability = cuda.get_current_device().compute_capability
    sources = source_digests().digest_for("")
    text = repr((name, [str(kind) for kind in kinds], tuple(capability), numba_cuda.__version__))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"cuda-{digest[:8]}-{sources}-{digest[8:24]}"  # `cache.stale_files` finds the digest of the sources


def _stream() -> Any:
    """Return PyTorch's current stream, so that the kernel runs after the operations that PyTorch has started."""
    import torch
    from cuda.core import Stream

    return Stream.from_handle(torch.cuda.current_stream().cuda_stream)


def _check_contiguous(value: Any) -> None:
    if hasattr(value, "_fields"):
        for part in value:
            _check_contiguous(part)
    elif hasattr(value, "strides") and not value.flags["C_CONTIGUOUS"]:
        raise ValueError(f"an array with the shape {value.shape} and the strides {value.strides} is not contiguous")


def _words(value: Any) -> list[Any]:
    """Return a kernel's argument in the form in which Numba's kernels receive it."""
    if hasattr(value, "_fields"):
        return [word for part in value for word in _words(part)]
    if isinstance(value, bool):
        return [value]
    if isinstance(value, int):
        return [ctypes.c_int64(value)]
    if isinstance(value, float):
        return [ctypes.c_double(value)]
    address = value.__cuda_array_interface__["data"][0]
    return [0, 0, value.size, value.dtype.itemsize, address, *value.shape, *value.strides]
