"""NamedTuples of arrays by reference: a kernel takes the address of the fields and loads each field at its use.

Numba passes a NamedTuple by value, as one argument for each machine word, about a hundred for a board. By value, calls
through pointers take twice as long as by reference, and calls from Python take four times as long. The loads of fields
are marked as loads of constant memory, so that LLVM moves the loads out of loops. It is correct to mark the loads as
constant, because a field contains an array's address, and this address never changes; only the content of the array
changes. In this module a record is a NamedTuple of arrays.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    box,
    infer_getattr,
    intrinsic,
    lower_cast,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)
from numba.np.arrayobj import populate_array

T = TypeVar("T", bound=tuple[Any, ...])

_Record: Any = types.BaseNamedTuple  # type: ignore[attr-defined]
_WORD: Final = ir.IntType(64)
#: Words before the first field: the address of the `Reference` object, which Python receives if a kernel returns it.
_HEAD: Final = 1


class ReferenceType(types.Type):
    """Numba's type of a `Reference` to a NamedTuple. record: Numba's type of the NamedTuple."""

    def __init__(self, record: Any) -> None:
        self.record = record
        digest = hashlib.sha256(str(record).encode()).hexdigest()[:16]
        super().__init__(f"reference({record.instance_class.__name__}-{digest})")

    @property
    def key(self) -> Any:
        return self.record

    def __hash__(self) -> int:
        return hash(self.name)  # a hash of the key would visit all types in the NamedTuple each time

    def can_convert_to(self, typing_context: Any, other: Any) -> Any:
        """Allow the conversion between references to the same NamedTuple class, whether or not they are `protected`."""
        if isinstance(other, ReferenceType) and other.record.instance_class is self.record.instance_class:
            return Conversion.safe
        return None


#: The types of references by the kinds of their fields, see `_kind`. Few records differ in kind. Numba needs 0.2 ms for
#: the type of one record, and the name of this type takes a millisecond.
_TYPES: Final[dict[Any, ReferenceType]] = {}


def _kind(value: Any) -> Any:
    """Return a hashable object: two values with equal kinds have the same type in Numba."""
    if isinstance(value, np.ndarray):
        return type(value), value.dtype, value.ndim, value.flags.num
    if isinstance(value, tuple):
        return type(value), *map(_kind, value)
    return getattr(value, "_numba_type_", type(value))


def _type_of(record: Any) -> ReferenceType:
    """Return the type of a reference to a NamedTuple."""
    kind = _kind(record)
    reference_type = _TYPES.get(kind)  # one look-up, because the hash of a kind takes microseconds
    if reference_type is None:
        reference_type = _TYPES[kind] = ReferenceType(numba.typeof(record))
    return reference_type


class Reference:
    """A NamedTuple that kernels take by reference. In Python the object has the fields and methods of the NamedTuple.

    Each field always refers to the same array, but the content of the array may change. A copy of the reference is a
    reference to a copy of the NamedTuple.
    """

    def __init__(self, record: Any) -> None:
        self.__dict__.update(record._asdict())
        self.record = record
        self._numba_type_ = _type_of(record)
        words = [id(self), *_words(record, self._numba_type_.record)]
        self._memory = np.array(words, dtype=np.int64)
        self.address = self._memory.ctypes.data

    def __getattr__(self, name: str) -> Any:
        if name == "record":  # the attribute is not set yet during a copy
            raise AttributeError(name)
        return getattr(self.record, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.record)

    def __len__(self) -> int:
        return len(self.record)

    def __getitem__(self, index: Any) -> Any:
        return self.record[index]

    def __repr__(self) -> str:
        return repr(self.record)

    def _replace(self, **fields: Any) -> Any:
        """Return a reference to a copy of the NamedTuple with some fields replaced, like `NamedTuple._replace`."""
        return reference(self.record._replace(**fields))

    def __copy__(self) -> Any:
        return self._of(copy.copy(self.record))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self._of(copy.deepcopy(self.record, memo))

    def _of(self, record: Any) -> Any:
        return self if record is self.record else reference(record)

    def __reduce__(self) -> Any:
        return reference, (self.record,)


def reference(record: T) -> T:
    """Return a reference to a NamedTuple of arrays, numbers, other NamedTuples, or references to NamedTuples.

    With ``NUMBA_DISABLE_JIT=1`` this function returns the NamedTuple itself.
    """
    if numba.config.DISABLE_JIT:
        return record
    ref: Any = Reference(record)
    return ref


def record_at(kind: Callable[[], Any]) -> Any:
    """Return a function for kernels: it converts an address from `address_of` to a reference of the type `kind()`.

    With this function a kernel can take an array of addresses, and so any number of NamedTuples.
    """
    if numba.config.DISABLE_JIT:
        return lambda record: record

    @intrinsic
    def at(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            return builder.inttoptr(values[0], cgutils.voidptr_t)

        return kind()(types.int64), generate

    return at


def address_of(ref: Any) -> Any:
    """Return the address of a NamedTuple's data, for `record_at`. The caller must keep the reference `ref` alive."""
    return ref if numba.config.DISABLE_JIT else ref.address


def address_array(addresses: Sequence[Any]) -> npt.NDArray[Any]:
    """Return addresses as int64[K]; as an array of Python objects if `NUMBA_DISABLE_JIT` is set."""
    array = np.empty(len(addresses), dtype=object if numba.config.DISABLE_JIT else np.int64)
    array[:] = addresses
    return array


def array_addresses(arrays: Sequence[npt.NDArray[Any]]) -> Any:
    """Return int64[K], the addresses of the data of K arrays; a list of the arrays if `NUMBA_DISABLE_JIT` is set.

    The caller must keep the arrays alive.
    """
    if numba.config.DISABLE_JIT:
        return list(arrays)
    return np.array([array.ctypes.data for array in arrays], dtype=np.int64)


def array_at(dtype: Any) -> Any:
    """Return a function for kernels: it converts an address from `array_addresses` and a shape to an array.

    The array has the given dtype and is C-contiguous.
    """
    if numba.config.DISABLE_JIT:
        return lambda array, shape: array.reshape(shape)

    @intrinsic
    def at(typing_context: Any, address: Any, shape: Any) -> Any:
        kind = types.Array(numba.from_dtype(np.dtype(dtype)), len(shape), "C")

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            array = context.make_array(kind)(context, builder)
            lengths = cgutils.unpack_tuple(builder, values[1])
            data = builder.inttoptr(values[0], array.data.type)
            size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
            strides = [ir.Constant(_WORD, size)]
            for length in reversed(lengths[1:]):
                strides.insert(0, builder.mul(strides[0], length))
            populate_array(
                array, data=data, shape=lengths, strides=strides, itemsize=ir.Constant(_WORD, size), meminfo=None
            )
            return array._getvalue()

        return kind(types.int64, types.UniTuple(types.int64, len(shape))), generate  # type: ignore[attr-defined]

    return at


# Memory layout in 64-bit words. An array has the words: address of the Python object, number of elements, address of
# the data, shape, strides. A NamedTuple has the words of its fields, one field after the other. A reference has one
# word, the address. A number has one word.


def _words(value: Any, kind: Any) -> list[int]:
    """Return the 64-bit words that represent a value of one of Numba's types."""
    if isinstance(kind, types.Array):
        return [id(value), value.size, value.__array_interface__["data"][0], *value.shape, *value.strides]
    if isinstance(kind, _Record):
        return [word for part, part_kind in zip(value, kind.types, strict=True) for word in _words(part, part_kind)]
    if isinstance(kind, ReferenceType):
        return [value.address]
    if isinstance(kind, types.Float):
        return [int(np.float64(value).view(np.int64))]
    if isinstance(kind, types.Boolean | types.Integer):
        return [int(value)]
    raise TypeError(f"values of type {kind} cannot be passed by reference")


def _size(kind: Any) -> int:
    """Return the number of 64-bit words of a value of one of Numba's types."""
    if isinstance(kind, types.Array):
        return 3 + 2 * kind.ndim
    return sum(map(_size, kind.types)) if isinstance(kind, _Record) else 1


def _load(context: Any, builder: Any, kind: Any, words: Any, first: int) -> Any:
    """Generate code that loads a value of a type; `first` is the index of its first word."""

    def word(offset: int) -> Any:
        place = builder.gep(words, [ir.Constant(ir.IntType(32), first + offset)], inbounds=True)
        loaded = builder.load(place)
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if isinstance(kind, _Record):
        parts, position = [], first
        for part in kind.types:
            parts.append(_load(context, builder, part, words, position))
            position += _size(part)
        return context.make_tuple(builder, kind, parts)
    if isinstance(kind, types.Array):
        array, rank = context.make_array(kind)(context, builder), kind.ndim
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = builder.inttoptr(word(0), array.parent.type)
        array.nitems = word(1)
        array.itemsize = ir.Constant(_WORD, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        array.data = builder.inttoptr(word(2), array.data.type)
        array.shape = cgutils.pack_array(builder, [word(3 + i) for i in range(rank)])
        array.strides = cgutils.pack_array(builder, [word(3 + rank + i) for i in range(rank)])
        return array._getvalue()
    if isinstance(kind, ReferenceType):
        return builder.inttoptr(word(0), cgutils.voidptr_t)
    if isinstance(kind, types.Float):
        return context.cast(builder, builder.bitcast(word(0), ir.DoubleType()), types.float64, kind)
    if isinstance(kind, types.Boolean):
        return builder.trunc(word(0), ir.IntType(1))
    return context.cast(builder, word(0), types.int64, kind)


@register_model(ReferenceType)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, cgutils.voidptr_t)


@infer_getattr
class _Fields(AttributeTemplate):
    key = ReferenceType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return kind.record.types[kind.record.fields.index(name)] if name in kind.record.fields else None


@lower_getattr_generic(ReferenceType)
def _get_field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    place = kind.record.fields.index(name)
    words = builder.bitcast(value, _WORD.as_pointer())
    return _load(context, builder, kind.record.types[place], words, _HEAD + sum(map(_size, kind.record.types[:place])))


@lower_cast(ReferenceType, ReferenceType)
def _as_other(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return value


@unbox(ReferenceType)
def _from_python(kind: Any, reference: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(reference, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, cgutils.voidptr_t), is_error=c.pyapi.c_api_error())


@box(ReferenceType)
def _to_python(kind: Any, value: Any, c: Any) -> Any:
    words = c.builder.bitcast(value, _WORD.as_pointer())
    python_object = c.builder.inttoptr(c.builder.load(words), cgutils.voidptr_t)
    c.pyapi.incref(python_object)
    return python_object
