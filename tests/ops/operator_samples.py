# SPDX-License-Identifier: Apache-2.0
"""The samples of the operator registry as arrays, tensors and reference results."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from allowances import RESULT_TYPES
from operator_references import REFERENCES

from mindspore import _c_expression as _c
from mindspore.ops import _registry

NUMPY_TYPES = {
    _c.bool_: np.bool_,
    _c.int8: np.int8,
    _c.int16: np.int16,
    _c.int32: np.int32,
    _c.int64: np.int64,
    _c.uint8: np.uint8,
    _c.uint16: np.uint16,
    _c.uint32: np.uint32,
    _c.uint64: np.uint64,
    _c.float16: np.float16,
    _c.bfloat16: np.float32,  # NumPy has none; its values are those of float32 with a short mantissa
    _c.float32: np.float32,
    _c.float64: np.float64,
    _c.complex64: np.complex64,
    _c.complex128: np.complex128,
}
TYPES_OF_NUMPY = {of_numpy: ours for ours, of_numpy in NUMPY_TYPES.items() if ours is not _c.bfloat16}
FLOATS = (_c.float16, _c.bfloat16, _c.float32, _c.float64)
COMPLEX = (_c.complex64, _c.complex128)
NAMES = sorted(entry["name"] for entry in _c.operators())


@dataclass(frozen=True)
class Tolerance:
    """Allowed difference, relative and absolute."""

    relative: float
    absolute: float


EXACT = Tolerance(0, 0)
GRADIENT = Tolerance(1e-6, 1e-7)
_ELEMENTWISE = Tolerance(1e-5, 1e-6)
_TOLERANCES = {
    _c.float16: Tolerance(1e-3, 1e-3),
    _c.bfloat16: Tolerance(8e-3, 8e-3),
    _c.float32: Tolerance(1e-4, 1e-5),
    _c.complex64: Tolerance(1e-4, 1e-5),
    _c.float64: Tolerance(1e-8, 1e-10),
    _c.complex128: Tolerance(1e-8, 1e-10),
}


def tolerance(operator: dict, dtype) -> Tolerance:
    """What a result of this type may differ from its reference."""
    if operator["elementwise"] and dtype in (_c.float32, _c.complex64):
        return _ELEMENTWISE
    return _TOLERANCES.get(dtype, EXACT)


def operators(*properties: str) -> list[str]:
    """Names of the operators whose description says yes to each property."""
    return [name for name in NAMES if all(_registry.describe(name)[key] for key in properties)]


# ---- inputs ------------------------------------------------------------------------------------


def _raw_values(entry: dict, rng: np.random.Generator) -> np.ndarray:
    shape, kind = entry["shape"], entry["kind"]
    if kind == "normal":
        return rng.standard_normal(shape)
    if kind == "uniform":
        return rng.uniform(entry["low"], entry["high"], shape)
    if kind == "positive":
        return rng.uniform(0.1, 2, shape)
    if kind == "integers":
        return rng.integers(int(entry["low"]), int(entry["high"]), shape)
    if kind == "constant":
        return np.full(shape, entry["low"])
    if kind == "values":
        return np.array(entry["values"], np.float64).reshape(shape)
    assert kind == "mask", kind
    return rng.random(shape) < 0.5


def _as_integers(values: np.ndarray, entry: dict, dtype: type) -> np.ndarray:
    if entry["kind"] == "normal":
        values = np.rint(values * 3)
    if entry["kind"] == "positive":
        values = np.ceil(values)
    values = np.nan_to_num(values, posinf=100, neginf=-100)
    return np.asarray(np.abs(values) if np.issubdtype(dtype, np.unsignedinteger) else values, dtype)


def short_mantissa(values: np.ndarray) -> np.ndarray:
    """float32 values that bfloat16 holds exactly."""
    bits = np.array(values, np.float32, order="C").view(np.uint32)
    return np.asarray(bits & np.uint32(0xFFFF0000)).view(np.float32)


def make_array(entry: dict, dtype, rng: np.random.Generator):
    """One input of a sample in the dtype under test: an array, a Python number or None."""
    if entry["kind"] == "absent":
        return None
    if entry["kind"] == "number":
        whole = np.issubdtype(NUMPY_TYPES[dtype], np.integer) or dtype is _c.bool_
        return int(entry["low"]) if whole else float(entry["low"])
    values = _raw_values(entry, rng)
    dtype = _c.bool_ if entry["kind"] == "mask" else entry["dtype"] or dtype
    target = NUMPY_TYPES[dtype]
    if dtype is _c.bool_:
        return np.asarray(values > 0)
    if np.issubdtype(target, np.integer):
        return _as_integers(values, entry, target)
    if dtype in COMPLEX and entry["kind"] == "normal":
        values = values + 1j * rng.standard_normal(entry["shape"])
    with np.errstate(over="ignore"):
        return short_mantissa(values) if dtype is _c.bfloat16 else np.asarray(values, target)


def effective_dtype(entry: dict, dtype):
    """The dtype an input has when the sample runs with `dtype`."""
    return _c.bool_ if entry["kind"] == "mask" else entry["dtype"] or dtype


def to_tensor(array, dtype):
    """A tensor of this dtype; numbers and None pass."""
    if array is None or isinstance(array, (bool, int, float, complex)):
        return array
    if dtype is _c.bfloat16:
        return _registry.function("cast")(_c.copy_numpy(np.array(array, order="C")), dtype)
    return _c.copy_numpy(np.array(array, order="C"))


# ---- cases -------------------------------------------------------------------------------------


@dataclass
class Case:
    """One sample of one operator in one dtype."""

    operator: dict
    sample: dict
    dtype: object
    arrays: list

    @property
    def label(self) -> str:
        return f"{self.operator['name']}/{self.sample['name']}/{self.dtype}"

    def tensors(self) -> list:
        return [
            to_tensor(array, effective_dtype(entry, self.dtype))
            for array, entry in zip(self.arrays, self.sample["inputs"], strict=True)
        ]

    def input_types(self) -> list:
        """dtypes of the tensors among the inputs."""
        return [
            effective_dtype(entry, self.dtype)
            for array, entry in zip(self.arrays, self.sample["inputs"], strict=True)
            if isinstance(array, np.ndarray)
        ]

    def attribute(self, name: str):
        """Its value in this sample."""
        defaults = {entry["name"]: entry["default"] for entry in self.operator["attributes"]}
        return self.sample["attributes"].get(name, defaults[name])

    def _arguments(self, tensors: list) -> dict:
        return {**by_name(self.operator, tensors), **self.sample["attributes"]}

    def call(self, tensors: list) -> tuple:
        """Results of the operator, always as a tuple."""
        result = _registry.function(self.operator["name"])(**self._arguments(tensors))
        return result if isinstance(result, tuple) else (result,)

    def inferred(self, tensors: list) -> list[tuple]:
        """What inference says of these arguments: (dtype, shape) of every result."""
        return _c.infer_operator(self.operator["name"], **self._arguments(tensors))

    def expected(self, widened: bool = True) -> tuple | None:
        """What the NumPy reference gives, in the widest type or the given ones; None without a reference."""
        return self._evaluated([_widened(array) for array in self.arrays] if widened else self.arrays)

    def _evaluated(self, arrays: list) -> tuple | None:
        """The reference. NumPy has no axis 0 without axes; operators take 0 and -1 for the element itself.

        There the reference is that of vectors of one element, without their axis.
        """
        try:
            return reference(self.operator, arrays, self.sample["attributes"])
        except Exception:
            if any(isinstance(array, np.ndarray) and array.ndim > 0 for array in arrays):
                raise
        vectors = [array.reshape(1) if isinstance(array, np.ndarray) else array for array in arrays]
        results = reference(self.operator, vectors, self.sample["attributes"])
        return results and tuple(result.reshape(()) for result in results)

    def expected_types(self, count: int) -> list:
        """dtypes of the results: as allowed, as NumPy has them for the formula, or the first tensor's."""
        rules = [RESULT_TYPES.get((self.operator["name"], i), (None, ""))[0] for i in range(count)]
        usual = self.usual_types(count) if None in rules else rules
        return [
            other if rule is None else rule(self) if callable(rule) else rule
            for rule, other in zip(rules, usual, strict=True)
        ]

    def usual_types(self, count: int) -> list:
        """dtypes of the results without the table of exceptions."""
        by_formula = self._evaluated(self._typed_arrays())
        if by_formula is not None:
            return [self._type_like(result.dtype) for result in by_formula]
        return (self.input_types()[:1] or [None]) * count

    def _typed_arrays(self) -> list:
        """The inputs in their own dtypes; float16 stands for bfloat16, which promotes alike."""
        if self.dtype is not _c.bfloat16:
            return self.arrays
        with np.errstate(over="ignore"):
            return [
                array.astype(np.float16)
                if isinstance(array, np.ndarray) and effective_dtype(entry, self.dtype) is _c.bfloat16
                else array
                for array, entry in zip(self.arrays, self.sample["inputs"], strict=True)
            ]

    def _type_like(self, dtype: np.dtype):
        if self.dtype is _c.bfloat16 and dtype == np.float16:
            return _c.bfloat16
        return TYPES_OF_NUMPY[dtype.type]


def by_name(operator: dict, values: list) -> dict:
    """Inputs by name; a variadic one collects what is left."""
    named = {}
    for position, entry in enumerate(operator["inputs"]):
        if entry["variadic"]:
            named[entry["name"]] = list(values[position:])
        elif position < len(values):
            named[entry["name"]] = values[position]
        else:
            named[entry["name"]] = None
    return named


def _widened(array):
    if not isinstance(array, np.ndarray):
        return array
    if np.issubdtype(array.dtype, np.complexfloating):
        return array.astype(np.complex128)
    return array.astype(np.float64) if np.issubdtype(array.dtype, np.floating) else array


@cache
def _compiled(expression: str):
    return compile(expression, f"<{expression}>", "eval")


def reference(operator: dict, arrays: list, attributes: dict) -> tuple | None:
    """The operator's own NumPy formula, or the function that stands for it."""
    names = {entry["name"]: entry["default"] for entry in operator["attributes"]}
    names.update(attributes)
    for name, value in names.items():
        names[name] = NUMPY_TYPES[value] if isinstance(value, _c.DType) else value
    names.update(by_name(operator, arrays))
    with np.errstate(all="ignore"):
        if operator["numpy"]:
            result = eval(_compiled(operator["numpy"]), {"np": np, **names})
        elif operator["name"] in REFERENCES:
            result = REFERENCES[operator["name"]](**names)
        else:
            return None
    return tuple(np.asarray(part) for part in (result if isinstance(result, tuple) else (result,)))


def sample_dtypes(operator: dict) -> list:
    """Those the operator names, or float32 and float64."""
    return operator["sample_dtypes"] or [_c.float32, _c.float64]


def _has_free_dtype(operator: dict) -> bool:
    entries = [entry for sample in operator["samples"] for entry in sample["inputs"]]
    return any(not entry["dtype"] and entry["kind"] not in ("mask", "absent", "number") for entry in entries)


def cases(name: str, dtypes=None, shapes=None, values: bool = True, forced=None) -> list[Case]:
    """Every sample of the operator in every dtype, or in those of `dtypes` it knows, or in the `forced` ones.

    `shapes` gives an input another shape; with `values` false, listed values are replaced by normal ones.
    """
    operator = _registry.describe(name)
    allowed = forced or [d for d in sample_dtypes(operator) if dtypes is None or d in dtypes]
    if not _has_free_dtype(operator):
        allowed = [_c.float32]
    found = []
    for sample in operator["samples"]:
        for dtype in allowed:
            rng = np.random.default_rng(zlib.crc32(f"{name}/{sample['name']}".encode()))
            arrays = []
            for entry in sample["inputs"]:
                entry = dict(entry)
                if entry["kind"] == "values" and not values:
                    entry["kind"] = "integers" if entry["dtype"] else "normal"
                    entry["low"], entry["high"] = 0, 2
                if shapes and entry["kind"] not in ("absent", "number"):
                    entry["shape"] = shapes(entry)
                arrays.append(make_array(entry, dtype, rng))
            found.append(Case(operator, sample, dtype, arrays))
    return found


# ---- comparison --------------------------------------------------------------------------------


def differs(got, expected: np.ndarray, allowed: Tolerance) -> str | None:
    """What is wrong with a tensor beside its reference, or None."""
    if tuple(got.shape) != expected.shape:
        return f"shape {tuple(got.shape)}, expected {expected.shape}"
    values = got.asnumpy()
    with np.errstate(all="ignore"):
        expected = expected.astype(values.dtype)  # what the type cannot hold becomes infinite
        if allowed is EXACT:
            same = values == expected
        else:
            same = np.isclose(values, expected, allowed.relative, allowed.absolute, equal_nan=True)
    if np.all(same):
        return None
    wrong = ~np.atleast_1d(same)
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{np.count_nonzero(wrong)} of {wrong.size} differ, first at {first}: "
        f"{np.atleast_1d(values)[first]!r}, expected {np.atleast_1d(expected)[first]!r}"
    )
