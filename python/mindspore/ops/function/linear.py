# SPDX-License-Identifier: Apache-2.0
"""Products and distances."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.ops._registry import op
from mindspore.ops.function._checks import checked_axis, require_tensor, takes


def addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
    return op.addmm(input, mat1, mat2, beta, alpha)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    """beta * input + alpha * the sum over the batch of batch1 @ batch2."""
    return op.addbmm(input, batch1, batch2, beta, alpha)


def addmv(input, mat, vec, *, beta=1, alpha=1) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
    return op.addmv(input, mat, vec, beta, alpha)


def addr(x, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
    """beta * x + alpha * the outer product of vec1 and vec2."""
    return op.addr(x, vec1, vec2, beta, alpha)


@takes(input=(2, 2), mat2=(2, 2))
def mm(input, mat2) -> Tensor:
    """Product of two matrices."""
    if input.ndim != 2 or mat2.ndim != 2:
        raise ValueError(f"For 'mm', both inputs must be matrices, but got {input.shape} and {mat2.shape}.")
    return op.matmul(input, mat2)


def div(input, other, *, rounding_mode=None) -> Tensor:
    """Quotient, rounded as asked.

    Args:
        input (Union[Tensor, Number, bool]): Dividend.
        other (Union[Tensor, Number, bool]): Divisor.
        rounding_mode (str): None, 'floor' or 'trunc'. Default: ``None``.
    """
    if rounding_mode not in (None, "floor", "trunc"):
        raise ValueError("For ops.div, rounding_mode value should be None, 'floor' or 'trunc'.")
    return op.div_rounded(input, other, rounding_mode)


def divide(input, other, *, rounding_mode=None) -> Tensor:
    """The same as `div`."""
    return div(input, other, rounding_mode=rounding_mode)


def subtract(input, other, *, alpha=1) -> Tensor:
    """input - alpha * other."""
    return op.subtract(input, other, alpha)


def xdivy(x, y) -> Tensor:
    """x / y, and 0 where `x` is 0."""
    return op.xdivy(x, y)


def vecdot(x, y, *, axis=-1) -> Tensor:
    """Dot products along one axis."""
    return op.vecdot(x, y, axis)


def tensor_dot(x1, x2, axes) -> Tensor:
    """Sum of products over pairs of axes.

    Args:
        x1 (Tensor): First tensor.
        x2 (Tensor): Second tensor.
        axes (Union[int, tuple(int), tuple(tuple(int)), list(list(int))]): How many of the last axes of `x1`
            and the first of `x2`, or the axes of either.
    """
    require_tensor("tensor_dot", "x1", x1)
    require_tensor("tensor_dot", "x2", x2)
    if isinstance(axes, int):
        if not 0 <= axes <= min(x1.ndim, x2.ndim):
            raise ValueError(
                f"For 'tensor_dot', the 'axes' must be in [0, {min(x1.ndim, x2.ndim)}] for the shapes "
                f"{x1.shape} and {x2.shape}, but got {axes}."
            )
        first = tuple(range(x1.ndim - axes, x1.ndim))
        second = tuple(range(axes))
    else:
        first, second = ((a,) if isinstance(a, int) else tuple(a) for a in axes)
    first = tuple(checked_axis("tensor_dot", a, x1.ndim, "axes") for a in first)
    second = tuple(checked_axis("tensor_dot", a, x2.ndim, "axes") for a in second)
    if [x1.shape[a] for a in first] != [x2.shape[a] for a in second]:
        raise ValueError(
            f"For 'tensor_dot', the lengths of the axes {first} of {x1.shape} and {second} of {x2.shape} "
            "must be equal."
        )
    kept1 = [a for a in range(x1.ndim) if a not in first]
    kept2 = [a for a in range(x2.ndim) if a not in second]
    summed = 1
    for a in first:
        summed *= x1.shape[a]
    left = op.reshape(op.transpose(x1, (*kept1, *first)), (-1, summed))
    right = op.reshape(op.transpose(x2, (*second, *kept2)), (summed, -1))
    shape = [x1.shape[a] for a in kept1] + [x2.shape[a] for a in kept2]
    return op.reshape(op.matmul(left, right), tuple(shape))


def batch_dot(x1, x2, axes=None) -> Tensor:
    """Sum of products over one axis of either tensor, for every element of the batch."""
    for label, x in (("x1", x1), ("x2", x2)):
        require_tensor("batch_dot", label, x)
        if x.ndim < 2:
            raise ValueError(f"For 'batch_dot', the '{label}' must have at least 2 axes, but got {x.ndim}.")
    if axes is None:
        axes = (x1.ndim - 1, 1 if x2.ndim == 2 else x2.ndim - 2)
    first, second = (axes, axes) if isinstance(axes, int) else axes
    first = checked_axis("batch_dot", first, x1.ndim, "axes")
    second = checked_axis("batch_dot", second, x2.ndim, "axes")
    if x1.shape[0] != x2.shape[0]:
        raise ValueError(f"For 'batch_dot', the batches must be equal, but got {x1.shape} and {x2.shape}.")
    kept1 = [a for a in range(1, x1.ndim) if a != first]
    kept2 = [a for a in range(1, x2.ndim) if a != second]
    batch, summed = x1.shape[0], x1.shape[first]
    left = op.reshape(op.transpose(x1, (0, *kept1, first)), (batch, -1, summed))
    right = op.reshape(op.transpose(x2, (0, second, *kept2)), (batch, summed, -1))
    shape = [x1.shape[a] for a in kept1] + [x2.shape[a] for a in kept2]
    return op.reshape(op.matmul(left, right), (batch, *(shape or [1])))


@takes(input1=1, input2=1, weight=(3, 3))
def bidense(input1, input2, weight, bias=None) -> Tensor:
    """input1^T W_k input2 for every output k, plus a bias."""
    lead = input1.shape[:-1]
    left = op.reshape(input1, (-1, input1.shape[-1]))
    right = op.reshape(input2, (-1, input2.shape[-1]))
    inner = op.matmul(left, op.reshape(op.transpose(weight, (1, 0, 2)), (left.shape[1], -1)))
    inner = op.reshape(inner, (left.shape[0], weight.shape[0], weight.shape[2]))
    result = op.reduce_sum(op.mul(inner, op.expand_dims(right, 1)), -1)
    result = op.reshape(result, (*lead, weight.shape[0]))
    return result if bias is None else op.add(result, bias)


def cross(input, other, dim=None) -> Tensor:
    """Cross product of vectors with three elements."""
    require_tensor("cross", "input", input)
    if dim is not None:
        dim = checked_axis("cross", dim, input.ndim, "dim")
    if dim is None:
        dim = next((i for i, length in enumerate(input.shape) if length == 3), None)
        if dim is None:
            raise ValueError(f"For 'cross', one axis of 'input' must have length 3, but got {input.shape}.")
    elif input.shape[dim] != 3:
        raise ValueError(f"For 'cross', the axis {dim} must have length 3, but got {input.shape[dim]}.")
    forward = op.mul(op.roll(input, -1, dim), op.roll(other, -2, dim))
    return op.sub(forward, op.mul(op.roll(input, -2, dim), op.roll(other, -1, dim)))


def cdist(x1, x2, p=2.0) -> Tensor:
    """Distances of all rows of `x1` from all rows of `x2`."""
    from mindspore.ops.function.reduction import vector_norm

    for label, x in (("x1", x1), ("x2", x2)):
        require_tensor("cdist", label, x)
        if x.ndim < 2:
            raise ValueError(f"For 'cdist', the '{label}' must have at least 2 axes, but got {x.ndim}.")
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"For 'cdist', rows must be equally long, but got {x1.shape} and {x2.shape}.")
    if p < 0:
        raise ValueError(f"For 'cdist', the 'p' must not be negative, but got {p}.")
    return vector_norm(op.sub(op.expand_dims(x1, -2), op.expand_dims(x2, -3)), p, -1)


def pdist(input, p=2.0) -> Tensor:
    """Distances of all pairs of rows, each pair once."""
    from mindspore.ops.function.creation import triu_indices

    require_tensor("pdist", "input", input)
    if input.ndim < 2:
        raise ValueError(f"For 'pdist', the 'input' must have rows and columns, but got shape {input.shape}.")
    if p < 0:
        raise ValueError(f"For 'pdist', the 'p' must not be negative, but got {p}.")
    rows = input.shape[-2]
    pairs = triu_indices(rows, rows, 1)
    from mindspore.ops.function.reduction import vector_norm

    first, second = op.gather(input, pairs[0], -2), op.gather(input, pairs[1], -2)
    return vector_norm(op.sub(first, second), p, -1)


def dist(input, other, p=2) -> Tensor:
    """`p`-norm of the difference of two tensors."""
    from mindspore.ops.function.reduction import vector_norm

    return vector_norm(op.sub(input, other), p)


def cosine_similarity(x1, x2, dim=1, eps=1e-08) -> Tensor:
    """Cosine of the angle between vectors along one axis."""
    dot = op.reduce_sum(op.mul(x1, x2), dim)
    length1 = op.sqrt(op.reduce_sum(op.square(x1), dim))
    length2 = op.sqrt(op.reduce_sum(op.square(x2), dim))
    return op.div(dot, op.mul(op.maximum(length1, eps), op.maximum(length2, eps)))


def trapz(y, x=None, *, dx=1.0, dim=-1) -> Tensor:
    """Integral by the trapezoid rule along one axis.

    Args:
        y (Tensor): Heights, with at least one axis.
        x (Tensor): Places, one axis or like `y`; without them neighbours are `dx` apart. Default: ``None``.
        dx (float): Distance of neighbours. Default: ``1.0``.
        dim (int): The axis. Default: ``-1``.
    """
    return op.trapz(y, x, dx, dim)


def _expand_equation(equation: str, operands) -> tuple[list[str], str]:
    """Labels of every operand and of the result, with an ellipsis spelled out in capital letters."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"For 'einsum', '{equation}' names {len(terms)} operands, but got {len(operands)}.")
    used = set(text)
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in used]
    most = 0
    expanded = []
    for term, x in zip(terms, operands, strict=True):
        hidden = x.ndim - len(term.replace("...", "")) if "..." in term else 0
        if hidden < 0 or ("..." not in term and len(term) != x.ndim):
            raise ValueError(f"For 'einsum', '{term}' does not fit an operand of shape {x.shape}.")
        most = max(most, hidden)
        expanded.append((term, hidden))
    hidden_labels = "".join(spare[:most])
    result = [term.replace("...", hidden_labels[most - hidden :]) for term, hidden in expanded]
    if arrow:
        return result, right.replace("...", hidden_labels)
    joined = "".join(left.replace(",", "").replace("...", ""))
    return result, hidden_labels + "".join(sorted(c for c in set(joined) if joined.count(c) == 1))


def _without_repeats(x, labels: str) -> tuple[Tensor, str]:
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = op.diagonal(x, 0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return x, labels


def _contract(a, a_labels: str, b, b_labels: str, kept: set) -> tuple[Tensor, str]:
    """Product of two operands, summed over the labels nobody needs any more."""
    shared = [c for c in a_labels if c in b_labels]
    batch = [c for c in shared if c in kept]
    summed = [c for c in shared if c not in kept]
    a, a_labels = _sum_over(a, a_labels, [c for c in a_labels if c not in kept and c not in b_labels])
    b, b_labels = _sum_over(b, b_labels, [c for c in b_labels if c not in kept and c not in a_labels])
    a_only = [c for c in a_labels if c not in shared]
    b_only = [c for c in b_labels if c not in shared]
    sizes = {}
    for labels, x in ((a_labels, a), (b_labels, b)):
        for label, length in zip(labels, x.shape, strict=True):
            sizes[label] = length if sizes.get(label, 1) == 1 else sizes[label]
    left = _arranged(a, a_labels, batch, a_only, summed, sizes)
    right = _arranged(b, b_labels, batch, summed, b_only, sizes)
    shape = tuple(sizes[c] for c in (*batch, *a_only, *b_only))
    return op.reshape(op.matmul(left, right), shape), "".join((*batch, *a_only, *b_only))


def _arranged(x, labels: str, batch, rows, columns, sizes) -> Tensor:
    order = [*batch, *rows, *columns]
    x = op.transpose(x, tuple(labels.index(c) for c in order))
    x = op.broadcast_to(x, tuple(sizes[c] for c in order))
    count = [1, 1, 1]
    for i, group in enumerate((batch, rows, columns)):
        for c in group:
            count[i] *= sizes[c]
    return op.reshape(x, tuple(count))


def _sum_over(x, labels: str, gone) -> tuple[Tensor, str]:
    if not gone:
        return x, labels
    x = op.reduce_sum(x, tuple(labels.index(c) for c in gone))
    return x, "".join(c for c in labels if c not in gone)


def einsum(equation, *operands) -> Tensor:
    """Sums of products as an equation names them.

    Args:
        equation (str): Such as 'ij,jk->ik'.
        operands (Tensor): The tensors, or one list of them.
    """
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    labels, target = _expand_equation(equation, operands)
    pairs = [_without_repeats(x, text) for x, text in zip(operands, labels, strict=True)]
    result, text = pairs[0]
    for i, (x, x_labels) in enumerate(pairs[1:], 1):
        kept = set(target).union(*(set(later) for _, later in pairs[i + 1 :]))
        result, text = _contract(result, text, x, x_labels, kept)
    result, text = _sum_over(result, text, [c for c in text if c not in target])
    return op.transpose(result, tuple(text.index(c) for c in target)) if len(text) > 1 else result


__all__ = _defined_names(globals())
