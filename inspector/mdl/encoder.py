"""The encoder: M, R, A → v_meta → confidence C and alignment α (DESIGN 6).

Two paths compute the same. :func:`encode` follows the formulas word by word for one decision and keeps every
intermediate for the plots. :func:`encode_many` is for whole stores: it works in chunks of 1,024, projects each value
vector once, and agrees with :func:`encode` to 1e-12 (not bit for bit: a matrix product sums in another order for
another width). Everything is float64.
"""

from __future__ import annotations

import functools
import math
import threading
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from inspector.errors import FieldError
from inspector.i18n import _
from inspector.mdl.params import EncoderKey, Params

Floats = npt.NDArray[np.float64]

#: Decisions that are computed together; the working set of a chunk stays in the cache.
CHUNK = 1_024
_GRID_STEPS = 20


class Bounds(NamedTuple):
    """‖v_meta‖ at which C is 0 and 1, and where the two come from: the grid, or given (a calibration, the user)."""

    n_min: float
    n_max: float
    origin: Literal["grid", "given"]


@dataclass(frozen=True, slots=True)
class Encoding:
    """One decision's way from the signals to C_final, for the screen. Signals are in the order wm, r, a.

    ``s`` (3,); ``values`` (3, D) v_k; ``energy`` (3, 3) ‖Π_j v_k‖² of signal k (row) in subspace j; ``terms`` (3, D)
    the terms W_k v_k as they enter the sum, g_A included, zero where switched off; ``pre_activation`` and ``v_meta``
    (D,); ``norm`` ‖v_meta‖; ``bounds`` n_min and n_max.
    """

    M: float
    R: float
    A: float
    s: Floats
    values: Floats
    energy: Floats
    g_A: float  # noqa: N815 - the formula's name
    terms: Floats
    pre_activation: Floats
    v_meta: Floats
    norm: float
    bounds: Bounds
    C: float
    alpha: float
    C_final: float


class Encoded(NamedTuple):
    """C, α, C_final and ‖v_meta‖ of many decisions; all of one shape."""

    C: Floats
    alpha: Floats
    C_final: Floats
    norm: Floats


class Encoder:
    """The constant parts of the encoder for one set of constants and switches: centres, projectors, W's pieces."""

    def __init__(self, key: EncoderKey) -> None:
        self.key = key
        dim, third = key.dim, key.dim // 3
        centres = np.arange(dim) / (dim - 1) if key.centres is None else np.asarray(key.centres, np.float64)
        self.centres: Floats = centres[:, None]
        q, _ = np.linalg.qr(np.random.default_rng(key.projector_seed).standard_normal((dim, dim)))
        #: Orthonormal basis; its columns are split into the three subspaces, 5 + 5 + 6 at D = 16.
        self.basis: Floats = np.ascontiguousarray(q)
        self.blocks = (slice(0, third), slice(third, 2 * third), slice(2 * third, dim))
        self._basis_t: Floats = np.ascontiguousarray(q.T)
        if key.switches.identity_projectors:
            self.projectors: Floats = np.broadcast_to(np.eye(dim), (3, dim, dim))
        else:
            self.projectors = np.stack([q[:, block] @ q[:, block].T for block in self.blocks])
        #: The three projectors one above the other, (3·D, D).
        self.stacked: Floats = np.ascontiguousarray(self.projectors.reshape(3 * dim, dim))
        self._inverse_width = -1.0 / (2.0 * key.sigma * key.sigma)
        self._local = threading.local()

    def value(self, s: Floats) -> Floats:
        """v(s): from (k, n) scalars to (k, D, n) values, ``s·1 + Σ exp(−(s−c_i)²/(2σ²))·e_i``."""
        values = np.empty((s.shape[0], self.key.dim, s.shape[1]))
        self.value_into(s, values)
        return values

    def value_into(self, s: Floats, values: Floats) -> None:
        """:meth:`value`, written into ``values`` (k, D, n)."""
        if not self.key.switches.value_encoding:
            values[:] = s[:, None, :]
            return
        np.subtract(s[:, None, :], self.centres, out=values)
        np.multiply(values, values, out=values)
        np.multiply(values, self._inverse_width, out=values)
        np.exp(values, out=values)
        values += s[:, None, :]

    def scalars(self, m: Floats, r: Floats, a: Floats) -> Floats:
        """s_wm = M, s_r = R and s_a = 1 − A (or A without risk inversion), stacked to (3, n)."""
        return np.stack((m, r, 1.0 - a if self.key.switches.risk_inversion else a))

    def norm_and_alpha(self, s: Floats) -> tuple[Floats, Floats]:
        """‖v_meta‖ and α of one chunk of scalars (3, n), n ≤ :data:`CHUNK`; both (n,)."""
        key, epsilon = self.key, self.key.epsilon
        count = s.shape[1]
        values, weighted, inside, pre = self._scratch(count)
        self.value_into(s, values)
        v_wm = values[0]
        if key.switches.modulates:
            gain = values[2].mean(axis=0)
            gain *= 0.5
            gain += 0.5
            np.multiply(v_wm, gain, out=weighted)
        else:
            weighted[:] = v_wm
        kept = [k for k in range(3) if key.switches.signals_on[k]]
        terms = (weighted, values[1], values[2])
        if key.switches.identity_projectors:
            # Σ_{j≠k} Π_j is twice the identity here: the projectors no longer split the space.
            pre[:] = 0.0
            for k in kept:
                pre += np.multiply(terms[k], s[k] + 2.0 * epsilon, out=inside)
        else:
            # Π_0 + Π_1 + Π_2 is the identity, so W_k v = (s_k − ε) Π_k v + ε v: one projection a signal.
            for k in range(3):
                block = inside[self.blocks[k]]
                if k in kept:
                    np.matmul(self._basis_t[self.blocks[k]], terms[k], out=block)
                    block *= s[k] - epsilon
                else:
                    block[:] = 0.0
            np.matmul(self.basis, inside, out=pre)
            for k in kept:
                pre += np.multiply(terms[k], epsilon, out=inside)
        if key.bias:
            pre += key.bias
        np.tanh(pre, out=pre)
        norm = np.sqrt(np.einsum("in,in->n", pre, pre))
        wm_norm = np.sqrt(np.einsum("in,in->n", v_wm, v_wm))
        return norm, _cosine(np.einsum("in,in->n", v_wm, pre), wm_norm, norm)

    def _scratch(self, count: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Working arrays of the calling thread, (3, D, n) and three of (D, n).

        Kept between calls: fresh ones of this size come from the system page by page, which costs more than the
        arithmetic.
        """
        dim = self.key.dim
        size = dim * count
        pool: Floats | None = getattr(self._local, "pool", None)
        if pool is None or pool.size < 6 * size:
            pool = self._local.pool = np.empty(6 * dim * max(count, 64))
        small = [pool[k * size : (k + 1) * size].reshape(dim, count) for k in range(3, 6)]
        return pool[: 3 * size].reshape(3, dim, count), small[0], small[1], small[2]


def _cosine(dot: Floats, left: Floats, right: Floats) -> Floats:
    """dot / (left · right), 0 where a norm is 0; clipped to [−1, 1] against the last bit of rounding."""
    scale = left * right
    cosine = np.divide(dot, scale, out=np.zeros_like(dot), where=scale > 0)
    clipped: Floats = np.clip(cosine, -1.0, 1.0, out=cosine)
    return clipped


@functools.lru_cache(maxsize=64)
def encoder_for(key: EncoderKey) -> Encoder:
    """The encoder of a set of constants, built once."""
    return Encoder(key)


def norms_and_alphas(m: npt.ArrayLike, r: npt.ArrayLike, a: npt.ArrayLike, params: Params) -> tuple[Floats, Floats]:
    """‖v_meta‖ and α for signals of any broadcastable shapes, in chunks of :data:`CHUNK`.

    NaN stays NaN in both. Raises FieldError for a signal outside [0, 1].
    """
    encoder = encoder_for(params.encoder_key)
    arrays = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (m, r, a)))
    for name, array in zip("MRA", arrays, strict=True):
        # One pass that NaN does not fail: a NaN is neither below 0 nor above 1.
        if array.size and bool(np.any((array < 0.0) | (array > 1.0))):
            raise FieldError(name, _("a value is out of range"), _("a number from 0 to 1"))
    shape = arrays[0].shape
    flat = [np.ravel(x) for x in arrays]
    count = flat[0].size
    norm, alpha = np.empty(count), np.empty(count)
    for start in range(0, count, CHUNK):
        part = slice(start, start + CHUNK)
        norm[part], alpha[part] = encoder.norm_and_alpha(encoder.scalars(flat[0][part], flat[1][part], flat[2][part]))
    missing = np.isnan(norm)
    if missing.any():
        alpha[missing] = np.nan
    return norm.reshape(shape), alpha.reshape(shape)


@functools.lru_cache(maxsize=64)
def _grid_bounds(key: EncoderKey) -> Bounds:
    axis = np.arange(_GRID_STEPS + 1) / _GRID_STEPS
    m, r, a = np.meshgrid(axis, axis, axis, indexing="ij")
    params = Params(
        dim=key.dim,
        sigma=key.sigma,
        centres=key.centres,
        epsilon=key.epsilon,
        bias=key.bias,
        projector_seed=key.projector_seed,
        switches=key.switches,
    )
    norm, _ = norms_and_alphas(m, r, a, params)
    return Bounds(float(norm.min()), float(norm.max()), "grid")


def bounds(params: Params) -> Bounds:
    """n_min and n_max in force: the given ones under the switches that they were fitted for, else the grid's.

    The grid is M, R, A ∈ {0, .05, …, 1} (DESIGN 6), under the switches in force, computed once for each set.
    """
    same = params.switches.for_norm() == params.fitted_switches.for_norm()
    if params.n_min is not None and params.n_max is not None and same:
        return Bounds(params.n_min, params.n_max, "given")
    return _grid_bounds(params.encoder_key)


def confidence(norm: Floats, limits: Bounds) -> Floats:
    """C = clip((‖v_meta‖ − n_min)/(n_max − n_min), 0, 1)."""
    c = (norm - limits.n_min) / (limits.n_max - limits.n_min)
    clipped: Floats = np.clip(c, 0.0, 1.0, out=c) if isinstance(c, np.ndarray) else np.clip(c, 0.0, 1.0)
    return clipped


def gated(c: Floats, alpha: Floats, params: Params) -> Floats:
    """C_final = C·(0.3 + 0.7·α), or C without the α gate."""
    if not params.switches.alpha_gate:
        return c.copy()
    gate = 0.7 * alpha
    gate += 0.3
    gate *= c
    return gate


def encode_many(m: npt.ArrayLike, r: npt.ArrayLike, a: npt.ArrayLike, params: Params) -> Encoded:
    """C, α and C_final for signals of any broadcastable shapes (DESIGN 6).

    Agrees with :func:`encode` to 1e-12. A NaN signal (a memory without a usable vector) gives NaN. Raises FieldError
    for a signal outside [0, 1].
    """
    norm, alpha = norms_and_alphas(m, r, a, params)
    c = confidence(norm, bounds(params))
    return Encoded(c, alpha, gated(c, alpha, params), norm)


def encode(m: float, r: float, a: float, params: Params) -> Encoding:
    """One decision with every intermediate, by DESIGN 6's formulas as they stand there.

    Raises FieldError for a signal that is not a number from 0 to 1.
    """
    for name, signal in (("M", m), ("R", r), ("A", a)):
        if not 0.0 <= signal <= 1.0:
            raise FieldError(name, _("{signal} is out of range").format(signal=signal), _("a number from 0 to 1"))
    encoder = encoder_for(params.encoder_key)
    switches = params.switches
    s = np.array((m, r, 1.0 - a if switches.risk_inversion else a))
    values = np.empty((3, params.dim, 1))
    encoder.value_into(s[:, None], values)
    values = values[:, :, 0]
    # projected[j, :, k] is Π_j v_k; the diagonal j = k is what signal k keeps of its own subspace.
    projected = (encoder.stacked @ values.T).reshape(3, params.dim, 3)
    own = projected.diagonal(axis1=0, axis2=2).T
    terms = s[:, None] * own + params.epsilon * (projected.sum(axis=0).T - own)
    g_a = 0.5 + 0.5 * float(values[2].sum()) / params.dim if switches.modulates else 1.0
    terms[0] *= g_a
    for k, on in enumerate(switches.signals_on):
        if not on:
            terms[k] = 0.0
    pre = terms.sum(axis=0) + params.bias
    v_meta = np.tanh(pre)
    norm = math.sqrt(float(v_meta @ v_meta))
    scale = math.sqrt(float(values[0] @ values[0])) * norm
    alpha = max(-1.0, min(1.0, float(values[0] @ v_meta) / scale)) if scale > 0.0 else 0.0
    limits = bounds(params)
    c = max(0.0, min(1.0, (norm - limits.n_min) / (limits.n_max - limits.n_min)))
    c_final = c * (0.3 + 0.7 * alpha) if switches.alpha_gate else c
    energy = np.square(projected).sum(axis=1).T
    return Encoding(m, r, a, s, values, energy, g_a, terms, pre, v_meta, norm, limits, c, alpha, c_final)
