"""Functions for numba-cuda: check whether numba-cuda works, set the compiler's options, and compile without a GPU."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from warlight_env.errors import InputError


class DeviceError(InputError):
    """The device does not exist, or a package for it is missing."""


def _nothing() -> None:
    """Do nothing: the smallest kernel."""


@functools.cache
def missing() -> str | None:
    """Return the reason why no GPU can be used; None if a GPU can be used."""
    try:
        from numba import cuda
    except ImportError as error:
        return f"Numba cannot import its CUDA target: {error}"
    if simulated():
        return None
    try:
        import numba_cuda
    except ImportError:
        return "the package numba-cuda is missing; install it with: pip install 'warlight-env[cuda]'"
    try:
        cuda.compile(_nothing, (), device=False, cc=(9, 0), abi="numba")
    except Exception as error:  # a package that does not work with another one can raise any exception
        import numba
        import numpy as np

        return (
            f"numba-cuda {numba_cuda.__version__} cannot compile with Numba {numba.__version__} and NumPy "
            f"{np.__version__}: {type(error).__name__}: {error}; install versions that work together with: "
            "pip install 'warlight-env[cuda]'"
        )
    try:
        cuda.current_context()
    except Exception as error:  # the driver has many kinds of errors
        return f"no GPU: {' '.join(str(error).split()).rstrip(' :')}"
    return None


def simulated() -> bool:
    """Whether Numba's simulator runs CUDA kernels as Python (``NUMBA_ENABLE_CUDASIM=1``)."""
    from numba import config

    return bool(config.ENABLE_CUDASIM)


def require() -> None:
    """Raise DeviceError if no GPU can be used."""
    reason = missing()
    if reason is not None:
        raise DeviceError(f"device = 'cuda': {reason}")
    if simulated():
        return
    import torch

    if not torch.cuda.is_available():
        raise DeviceError("device = 'cuda': this PyTorch cannot use the GPU")
    if torch.cuda.current_device() != 0:
        raise DeviceError(
            f"device = 'cuda': PyTorch's current GPU is number {torch.cuda.current_device()}; choose the GPU with "
            "CUDA_VISIBLE_DEVICES instead"
        )


def check_memory(games: int, bytes_per_game: int, argument: str = "num_envs", unit: str = "games") -> None:
    """Raise DeviceError if the free memory of the GPU is too small for a number of games.

    Args:
        games: the number of games, or of other objects with `bytes_per_game` bytes each.
        argument, unit: the words of the error message for this number ("num_envs") and for the objects ("games").
    """
    if simulated():
        return
    import torch

    torch.cuda.empty_cache()  # otherwise memory that PyTorch keeps for later counts as used
    free = torch.cuda.mem_get_info()[0]
    if games * bytes_per_game > free:
        raise DeviceError(
            f"{argument} = {games}: the {unit} need {games * bytes_per_game / 2**30:.1f} GiB of GPU memory, and "
            f"{free / 2**30:.1f} GiB are free; at most {free // bytes_per_game} {unit} fit"
        )


#: The lock that a thread holds while it changes the settings of the compiler.
_compiling = threading.RLock()


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Set the compiler's options during the block.

    The compiler does not fuse multiplications and additions, because a CPU rounds after each of them. The names of
    functions contain digests instead of the types of all arrays in a NamedTuple; with the types, the code would be 20
    times longer.
    """
    if simulated():
        yield
        return
    import numba.cuda.cudadrv.nvvm as nvvm
    from numba.core import types

    record: Any = types.BaseNamedTuple  # type: ignore[attr-defined]
    _compiling.acquire()
    compile_ir, names = nvvm.compile_ir, record.mangling_args
    nvvm.compile_ir = _unfused(compile_ir)
    record.mangling_args = property(_short_name)
    try:
        yield
    finally:
        nvvm.compile_ir, record.mangling_args = compile_ir, names
        _compiling.release()


def _unfused(compile_ir: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(compile_ir)
    def compiled(code: Any, **options: Any) -> Any:
        return compile_ir(code, **{**options, "fma": False})

    return compiled


def _short_name(kind: Any) -> tuple[str, tuple[()]]:
    digest = hashlib.sha256(str(kind).encode()).hexdigest()[:12]
    return f"{kind.instance_class.__name__}_{digest}", ()
