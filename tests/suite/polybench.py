"""The kernels of the suite polybench once more, from their definitions, in numpy.

Where numpy has the operation itself (solve, qr, cov, …) it is taken; a stencil is slices, a recurrence
a triangular matrix. Nothing follows the C.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["KERNELS", "Kernel"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Kernel:
    """A kernel: ``results(*size)`` are the arrays that the program dumps, in its order."""

    name: str
    folder: str
    results: Callable[..., tuple[Array, ...]]
    sizes: dict[str, tuple[int, ...]]
    dtype: str = "<f8"
    rtol: float = 1e-11


KERNELS: dict[str, Kernel] = {}

ALPHA, BETA = 1.5, 1.2


def kernel(path: str, mini: tuple[int, ...], small: tuple[int, ...], **facts: Any) -> Callable[..., Any]:
    folder, _, name = path.rpartition("/")

    def register(results: Callable[..., Any]) -> Callable[..., Any]:
        def arrays(*size: int) -> tuple[Array, ...]:
            found = results(*size)
            return found if isinstance(found, tuple) else (found,)

        KERNELS[name] = Kernel(name, folder, arrays, {"MINI": mini, "SMALL": small}, **facts)
        return results

    return register


def weyl(seed: str | int, *shape: int) -> Array:
    """Multiples of 1/1.618… modulo 1, with 32 bits after the point."""
    steps = np.arange(np.prod(shape), dtype=np.uint64) + np.uint64(ord(seed) if isinstance(seed, str) else seed)
    return (steps * np.uint64(0x9E3779B9) % np.uint64(2**32)).reshape(shape)


def filled(seed: str, *shape: int) -> Array:
    return (weyl(seed, *shape) // np.uint64(2)).astype(float) / 2**31


def dominant(seed: str, n: int) -> Array:
    return filled(seed, n, n) + n * np.eye(n)


# --- datamining


@kernel("datamining/correlation", (28, 32), (80, 100))
def correlation(m: int, n: int) -> Array:
    return np.corrcoef(filled("d", n, m), rowvar=False)


@kernel("datamining/covariance", (28, 32), (80, 100))
def covariance(m: int, n: int) -> Array:
    return np.cov(filled("d", n, m), rowvar=False)


# --- linear-algebra/blas


@kernel("linear-algebra/blas/gemm", (20, 25, 30), (60, 70, 80))
def gemm(ni: int, nj: int, nk: int) -> Array:
    return ALPHA * filled("A", ni, nk) @ filled("B", nk, nj) + BETA * filled("C", ni, nj)


@kernel("linear-algebra/blas/gemver", (40,), (120,))
def gemver(n: int) -> Array:
    u1, v1, u2, v2, y, z = (filled(seed, n) for seed in "uvUVyz")
    a = filled("A", n, n) + np.outer(u1, v1) + np.outer(u2, v2)
    return ALPHA * a @ (BETA * a.T @ y + z)


@kernel("linear-algebra/blas/gesummv", (30,), (90,))
def gesummv(n: int) -> Array:
    return (ALPHA * filled("A", n, n) + BETA * filled("B", n, n)) @ filled("x", n)


@kernel("linear-algebra/blas/symm", (20, 30), (60, 80))
def symm(m: int, n: int) -> Array:
    lower = np.tril(filled("A", m, m))
    symmetric = lower + lower.T - np.diag(lower.diagonal())
    return ALPHA * symmetric @ filled("B", m, n) + BETA * filled("C", m, n)


@kernel("linear-algebra/blas/syr2k", (20, 30), (60, 80))
def syr2k(m: int, n: int) -> Array:
    a, b, c = filled("A", n, m), filled("B", n, m), filled("C", n, n)
    return np.tril(ALPHA * (a @ b.T + b @ a.T) + BETA * c) + np.triu(c, 1)


@kernel("linear-algebra/blas/syrk", (20, 30), (60, 80))
def syrk(m: int, n: int) -> Array:
    a, c = filled("A", n, m), filled("C", n, n)
    return np.tril(ALPHA * a @ a.T + BETA * c) + np.triu(c, 1)


@kernel("linear-algebra/blas/trmm", (20, 30), (60, 80))
def trmm(m: int, n: int) -> Array:
    unit_lower = np.tril(filled("A", m, m), -1) + np.eye(m)
    return ALPHA * unit_lower.T @ filled("B", m, n)


# --- linear-algebra/kernels


@kernel("linear-algebra/kernels/2mm", (16, 18, 22, 24), (40, 50, 70, 80))
def two_mm(ni: int, nj: int, nk: int, nl: int) -> Array:
    product = np.linalg.multi_dot([filled("A", ni, nk), filled("B", nk, nj), filled("C", nj, nl)])
    return ALPHA * product + BETA * filled("D", ni, nl)


@kernel("linear-algebra/kernels/3mm", (16, 18, 20, 22, 24), (40, 50, 60, 70, 80))
def three_mm(ni: int, nj: int, nk: int, nl: int, nm: int) -> Array:
    shapes = zip("ABCD", (ni, nk, nj, nm), (nk, nj, nm, nl), strict=True)
    return np.linalg.multi_dot([filled(seed, rows, columns) for seed, rows, columns in shapes])


@kernel("linear-algebra/kernels/atax", (38, 42), (116, 124))
def atax(m: int, n: int) -> Array:
    a = filled("A", m, n)
    return (a.T @ a) @ filled("x", n)


@kernel("linear-algebra/kernels/bicg", (38, 42), (116, 124))
def bicg(m: int, n: int) -> tuple[Array, Array]:
    a = filled("A", n, m)
    return a.T @ filled("r", n), a @ filled("p", m)


@kernel("linear-algebra/kernels/doitgen", (8, 10, 12), (20, 25, 30))
def doitgen(nq: int, nr: int, np_: int) -> Array:
    return np.einsum("rqs,sp->rqp", filled("A", nr, nq, np_), filled("C", np_, np_))


@kernel("linear-algebra/kernels/mvt", (40,), (120,))
def mvt(n: int) -> tuple[Array, Array]:
    a = filled("A", n, n)
    return filled("x", n) + a @ filled("y", n), filled("X", n) + a.T @ filled("Y", n)


# --- linear-algebra/solvers


@kernel("linear-algebra/solvers/cholesky", (40,), (120,))
def cholesky(n: int) -> Array:
    lower = np.tril(filled("A", n, n), -1)
    a = lower + lower.T + np.diag(dominant("A", n).diagonal())
    return np.linalg.cholesky(a) + np.triu(a, 1)


@kernel("linear-algebra/solvers/durbin", (40,), (120,))
def durbin(n: int) -> Array:
    r = 1 / np.arange(1, n + 2)
    toeplitz = r[np.abs(np.subtract.outer(np.arange(n), np.arange(n)))]
    return np.linalg.solve(toeplitz, -r[1:])


@kernel("linear-algebra/solvers/gramschmidt", (20, 30), (60, 80))
def gramschmidt(m: int, n: int) -> tuple[Array, Array]:
    q, r = np.linalg.qr(filled("A", n, m) + np.eye(n, m))
    signs = np.sign(r.diagonal())  # the factors are unique where R's diagonal is positive
    return r * signs[:, None], q * signs


@kernel("linear-algebra/solvers/lu", (40,), (120,))
def lu(n: int) -> Array:
    a = dominant("A", n)
    for k in range(n):  # of what remains, the first row and column, then the Schur complement
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


@kernel("linear-algebra/solvers/ludcmp", (40,), (120,))
def ludcmp(n: int) -> Array:
    return np.linalg.solve(dominant("A", n), filled("b", n))


@kernel("linear-algebra/solvers/trisolv", (40,), (120,))
def trisolv(n: int) -> Array:
    return np.linalg.solve(np.tril(dominant("L", n)), filled("b", n))


# --- medley


@kernel("medley/deriche", (64, 64), (192, 128), dtype="<f4", rtol=1e-4)
def deriche(w: int, h: int) -> Array:
    i, j = np.ogrid[:w, :h]
    alpha = 0.25
    k = (1 - np.exp(-alpha)) ** 2 / (1 + 2 * alpha * np.exp(-alpha) - np.exp(-2 * alpha))
    poles = 2**-alpha, -np.exp(-2 * alpha)

    def filters(n: int) -> Array:
        """The matrix of both passes: a triangle of impulse responses for each."""
        response = np.zeros(n + 1)  # of 1 / (1 - b1 z - b2 z²); response[-1] is 0
        response[0] = 1
        for t in range(1, n):
            response[t] = poles[0] * response[t - 1] + poles[1] * response[t - 2]
        zeros = (1, np.exp(-alpha) * (alpha - 1)), (np.exp(-alpha) * (alpha + 1), -np.exp(-2 * alpha))
        ahead, back = (k * (a * response + b * np.roll(response, 1)) for a, b in zeros)
        distance = np.subtract.outer(np.arange(n), np.arange(n))
        return np.where(distance >= 0, ahead[distance.clip(0)], back[(-distance - 1).clip(0)])

    return filters(w) @ ((7 * i ^ 13 * j) % 256 / 255) @ filters(h).T


@kernel("medley/floyd-warshall", (60,), (180,), dtype="<i4", rtol=0)
def floyd_warshall(n: int) -> Array:
    length = 1 + weyl(0, n, n).astype(np.int64) // 2**20
    path = np.where(length <= 256, length, 9999)
    np.fill_diagonal(path, 0)
    for _ in range(n.bit_length()):  # squares of the min-plus algebra: paths of twice as many edges
        path = np.array([(row[:, None] + path).min(axis=0) for row in path])
    return path


@kernel("medley/nussinov", (60,), (180,), dtype="<i4", rtol=0)
def nussinov(n: int) -> Array:
    bases = weyl(0, n) // np.uint64(2**30)
    pairs = np.add.outer(bases, bases) == 3
    table = np.zeros((n + 1, n), int)
    for length in range(1, n):  # by length of the part; the split after i is the case "i is free"
        for i in range(n - length):
            j = i + length
            ends = table[i + 1, j - 1] + (length > 1 and pairs[i, j])
            table[i, j] = max(ends, (table[i, i:j] + table[i + 1 : j + 1, j]).max())
    return table[:n]


# --- stencils


@kernel("stencils/adi", (20, 20), (40, 60))
def adi(tsteps: int, n: int) -> Array:
    a = -(n**2) / tsteps
    d = a / 2
    u, inner = filled("u", n, n), slice(1, -1)
    second = np.eye(n - 2, n, 0) - 2 * np.eye(n - 2, n, 1) + np.eye(n - 2, n, 2)  # differences, from all n points
    stay = np.eye(n - 2, n, 1)
    for _ in range(tsteps):
        v = along((stay + a * second), (u - d * padded(u @ second.T)).T[inner, inner])
        v = np.pad(v, 1, constant_values=1).T
        u[inner, [0, -1]] = 1
        u[inner, inner] = along(stay + d * second, (v - a * padded(second @ v, rows=True))[inner, inner])
    return u


def along(system: Array, right: Array) -> Array:
    """Row by row, the inner points whose ``system`` gives ``right``, with 1 at both ends."""
    return np.linalg.solve(system[:, 1:-1], (right - system[:, 0] - system[:, -1]).T).T


def padded(a: Array, *, rows: bool = False) -> Array:
    return np.pad(a, ((1, 1), (0, 0)) if rows else ((0, 0), (1, 1)))


@kernel("stencils/fdtd-2d", (20, 20, 30), (40, 60, 80), rtol=1e-9)
def fdtd_2d(tmax: int, nx: int, ny: int) -> tuple[Array, Array, Array]:
    ex, ey, hz = (filled(seed, nx, ny) for seed in "xyz")
    for t in range(tmax):
        ey[1:] -= np.diff(hz, axis=0) / 2
        ey[0] = t
        ex[:, 1:] -= np.diff(hz, axis=1) / 2
        hz[:-1, :-1] -= 0.7 * (np.diff(ex, axis=1)[:-1] + np.diff(ey, axis=0)[:, :-1])
    return ex, ey, hz


@kernel("stencils/heat-3d", (20, 10), (40, 20))
def heat_3d(tsteps: int, n: int) -> Array:
    a = filled("A", n, n, n)
    inner = slice(1, -1)
    for _ in range(2 * tsteps):
        seconds = [np.diff(np.moveaxis(a, axis, 0), 2, axis=0)[:, inner, inner] for axis in range(3)]
        a[inner, inner, inner] += sum(np.moveaxis(second, 0, axis) for axis, second in enumerate(seconds)) / 8
    return a


@kernel("stencils/jacobi-1d", (20, 30), (40, 120))
def jacobi_1d(tsteps: int, n: int) -> Array:
    to, source = filled("B", n), filled("A", n)
    for _ in range(2 * tsteps):
        to[1:-1] = 0.33333 * np.convolve(source, np.ones(3), "valid")
        to, source = source, to
    return source


@kernel("stencils/jacobi-2d", (20, 30), (40, 90))
def jacobi_2d(tsteps: int, n: int) -> Array:
    to, source = filled("B", n, n), filled("A", n, n)
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]) / 5
    for _ in range(2 * tsteps):
        windows = np.lib.stride_tricks.sliding_window_view(source, (3, 3))
        to[1:-1, 1:-1] = np.einsum("ijkl,kl->ij", windows, cross)
        to, source = source, to
    return source


@kernel("stencils/seidel-2d", (20, 40), (40, 120))
def seidel_2d(tsteps: int, n: int) -> Array:
    a = filled("A", n, n)
    # A row is x[j] = x[j-1] / 9 + known[j]: its solution is a triangle of powers of 1/9.
    j = np.arange(n - 2)
    powers = np.tril((1 / 9) ** np.subtract.outer(j, j).clip(0).astype(float))
    for _ in range(tsteps):
        for i in range(1, n - 1):
            known = np.convolve(a[i - 1] + a[i + 1], np.ones(3), "valid") + a[i, 1:-1] + a[i, 2:]
            known[0] += a[i, 0]
            a[i, 1:-1] = powers @ known / 9
    return a
