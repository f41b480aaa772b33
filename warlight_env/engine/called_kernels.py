"""The compiled form of kernels for calls by other kernels: LLVM's intermediate code without machine code.

Numba copies the intermediate code of a called kernel into the module of its caller, and optimizes this module. The
machine code of the called kernel would never run, so it is not generated.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import llvmlite.binding as llvm
from numba.core import config
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, compile_result

#: The format of the intermediate code in Numba's serialized libraries.
_FORMAT: Final = "called"


class CalledLibrary(JITCodeLibrary):
    """Numba's library of one kernel, which other libraries can link but which Python cannot call."""

    def _optimize_final_module(self) -> None:
        """Optimize the code. With an optimization level under 3 (``NUMBA_OPT``), only simplify it.

        The caller with machine code optimizes its whole module, which contains this code. The optimization of called
        kernels takes a fifth of the compile time. It makes `one_ply` 1.6 times faster, and most other bots not faster.
        """
        if config.OPT >= 3:
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, because Python cannot call the kernel."""
        return 0

    @property
    def codegen(self) -> Any:
        """The object through which Numba sets the environment of the kernel."""
        return SimpleNamespace(set_env=self._set_environment)

    def _set_environment(self, name: str, environment: Any) -> None:
        """Define the variable with the kernel's environment if the kernel calls Python, for example to print."""
        if any(function.name == "numba_gil_ensure" for function in self._final_module.functions):
            engine = self._codegen._engine
            if not engine.is_symbol_defined(name):
                module = llvm.parse_assembly(f'@"{name}" = common global i64 0')
                module.triple = self._final_module.triple
                module.data_layout = self._final_module.data_layout
                engine.add_module(module)
                engine.finalize_object()
            self._codegen.set_env(name, environment)

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return the name, the format and the intermediate code, for `load`."""
        self._ensure_finalized()
        return self.name, _FORMAT, self._get_module_for_linking().as_bitcode()

    @classmethod
    def load(cls, codegen: Any, serialized: tuple[str, str, bytes]) -> CalledLibrary:
        """Return the library that `serialize_using_object_code` has serialized."""
        name, form, code = serialized
        if form != _FORMAT:
            raise ValueError(f"the code of {name} has the format {form!r}, not {_FORMAT!r}")
        library = cls(codegen, name)
        library._final_module = library._shared_module = llvm.parse_bitcode(code)
        library._finalize_final_module()
        return library


class CalledKernelCompiler(Compiler):
    """Numba's compiler with a `CalledLibrary` as its result."""

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *arguments: Any) -> None:
        super().__init__(typing_context, target_context, library, *arguments)
        self.state.library = CalledLibrary(self.state.targetctx.codegen(), "called")


class CalledKernelCacheImpl(CompileResultCacheImpl):
    """Numba's conversion of compiled kernels to cache files and back, for a `CalledLibrary`."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return the compiled kernel that Numba's `reduce` has serialized."""
        serialized, descriptor, environment, signature, objectmode, lifted, annotation, *references = payload
        reload_init, environments = references
        for function in reload_init:
            function()
        library = CalledLibrary.load(target_context.codegen(), serialized)
        entry_point = target_context.get_executable(library, descriptor, environment)
        for env in environments:
            library.codegen.set_env(env.env_name, env)
        return compile_result(
            target_context=target_context, typing_context=target_context.typing_context, library=library,
            environment=environment, entry_point=entry_point, fndesc=descriptor, type_annotation=annotation,
            signature=signature, objectmode=objectmode, lifted=lifted, typing_error=None, call_helper=None,
            metadata=None, reload_init=reload_init, referenced_envs=environments,
        )  # fmt: skip
