"""Writes answers.jsonl.gz: what TensorFlow answers for operations of linear algebra.

Each line is an operation with its attributes, its inputs, and its outputs or its
error. Vectors whose sign or phase is free are not recorded.

    python record.py | gzip -9n > answers.jsonl.gz
"""
import json

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(7)


def tensor(x):
    x = np.asarray(x)
    flat = x.flatten()
    if np.iscomplexobj(flat):
        flat = np.stack([flat.real, flat.imag], -1).flatten()
    return {"type": tf.as_dtype(x.dtype).name, "shape": x.shape, "data": [repr(float(v)) for v in flat]}


def record(op, *inputs, keep=None, tolerance=None, **attrs):
    args = tf.raw_ops.__dict__[op].__signature__.parameters
    names = [n for n in args if n not in attrs and n != "name"][: len(inputs)]
    case = {"op": op, "attrs": {k: v.name if isinstance(v, tf.DType) else v for k, v in attrs.items()},
            "inputs": [tensor(x) for x in inputs]}
    if tolerance:
        case["tolerance"] = tolerance
    try:
        out = tf.raw_ops.__dict__[op](**dict(zip(names, inputs)), **attrs)
        out = [out] if isinstance(out, tf.Tensor) else list(out)
        case["outputs"] = [tensor(o.numpy()) if keep is None or i in keep else None for i, o in enumerate(out)]
    except tf.errors.OpError as e:
        case["error"] = e.message.split("}} ")[-1].split(" [Op:")[0]
    print(json.dumps(case))


def matrices(dtype, *shape):
    x = rng.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


types = [np.float32, np.float64, np.complex64, np.complex128]
for t in types:
    a, b = matrices(t, 2, 4, 4), matrices(t, 2, 4, 3)
    definite = (a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(4)).astype(t)
    record("Cholesky", definite)
    record("MatrixInverse", a)
    record("MatrixInverse", a, adjoint=True)
    record("MatrixDeterminant", a)
    record("LogMatrixDeterminant", a)
    record("Lu", a, output_idx_type=tf.int64)
    record("MatrixSolve", a, b)
    record("MatrixSolve", a, b[:, :, :1], adjoint=True)
    record("MatrixSquareRoot", definite)
    record("Qr", matrices(t, 2, 5, 3))
    record("Qr", matrices(t, 3, 5))
    record("Qr", matrices(t, 5, 3), full_matrices=True)
    record("Svd", matrices(t, 2, 5, 3), compute_uv=False, keep=[0])
    record("SelfAdjointEigV2", definite, keep=[0])
    for lower in [True, False]:
        for adjoint in [True, False]:
            record("MatrixTriangularSolve", definite[0], b, lower=lower, adjoint=adjoint)
            record("BandedTriangularSolve", matrices(t, 2, 2, 4), b, lower=lower, adjoint=adjoint)
            record("BandedTriangularSolve", matrices(t, 3, 4), b, lower=lower, adjoint=adjoint)
    for fast in [True, False]:
        record("MatrixSolveLs", matrices(t, 2, 5, 3), matrices(t, 2, 5, 2), np.float64(0.3), fast=fast)
        record("MatrixSolveLs", matrices(t, 3, 5), matrices(t, 3, 2), np.float64(0), fast=fast)
    diagonals = matrices(t, 2, 3, 4)
    record("TridiagonalSolve", diagonals, b)
    record("TridiagonalSolve", diagonals + np.array([[0], [5], [0]], t), b, partial_pivoting=False)
    record("TridiagonalMatMul", diagonals[:, :1], diagonals[:, 1:2], diagonals[:, 2:], b)
for t in [np.float32, np.float64]:
    a = matrices(t, 2, 4, 4)
    record("CholeskyGrad", np.linalg.cholesky(a @ np.swapaxes(a, -1, -2) + np.eye(4)).astype(t), a)
for t in [np.complex64, np.complex128]:
    a = matrices(t, 2, 4, 4)
    record("MatrixLogarithm", a)
    record("MatrixLogarithm", a * 1000 + 5000 * np.eye(4, dtype=t))
    record("Eig", a, Tout=tf.as_dtype(t), keep=[0])

# Edges.
f = np.float64
nan = np.full([2, 2], np.nan)
twice = f([[1, 2], [2, 4]])
nine = np.float32([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
for op in ["Cholesky", "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant", "Lu", "MatrixSquareRoot", "Qr", "SelfAdjointEigV2"]:
    for x in [np.zeros([0, 0]), np.zeros([2, 0, 0]), np.zeros([0, 2, 2]), np.ones([2, 3]), np.ones([2]), f([[-4]]), f([[4]]), nan]:
        record(op, x, keep=[0] if op == "SelfAdjointEigV2" else None)
for op in ["MatrixInverse", "MatrixDeterminant", "Lu"]:
    record(op, twice)
    record(op, nine)
record("Cholesky", f([[1, 2], [2, 1]]))
record("Cholesky", f([[4, 99], [2, 3]]))
record("LogMatrixDeterminant", twice * [[1], [0]])
record("MatrixSquareRoot", f([[0, -1], [1, 0]]))
record("MatrixSquareRoot", np.zeros([2, 2]))
record("MatrixSquareRoot", f([[-4, 0], [0, 4]]))
for x in [np.zeros([2, 2]), np.eye(2), [[1, 1], [0, 1]], [[-1, 1], [0, 2]], [[-4]], np.zeros([0, 0])]:
    record("MatrixLogarithm", np.complex128(x))
for full in [True, False]:
    for shape in [(3, 0), (0, 3), (2, 0, 3)]:
        record("Qr", np.zeros(shape), full_matrices=full)
        record("Svd", np.zeros(shape), full_matrices=full)
record("Svd", nan)
record("Eig", nan, Tout=tf.complex128)
record("Eig", twice, Tout=tf.complex64)
record("CholeskyGrad", twice, nine.astype(f))
record("CholeskyGrad", np.ones([2, 3]), np.ones([2, 3]))
ones = np.ones([3, 2])
record("MatrixSolve", twice, twice)
record("MatrixSolve", nine, nine)
record("MatrixSolve", ones, ones)
record("MatrixSolve", twice, ones)
record("MatrixSolve", twice[None], twice)
record("MatrixSolve", twice[None], np.stack([twice, twice]))
record("MatrixTriangularSolve", twice * 0, twice)
record("MatrixTriangularSolve", ones, ones)
record("MatrixTriangularSolve", twice, ones)
record("MatrixTriangularSolve", np.stack([twice] * 2), np.stack([twice] * 3))
record("MatrixSolveLs", twice, twice, np.float64(0))
record("MatrixSolveLs", twice, twice, np.float64(0), fast=False)
record("MatrixSolveLs", np.float64([[1, 1], [1, 1], [1, 1]]).T.copy(), twice, np.float64(0))
record("MatrixSolveLs", twice, twice, np.float64(-1))
record("MatrixSolveLs", twice, ones, np.float64(0))
bands = f([[1, 2, 3], [9, 4, 5], [9, 9, 7]])
record("BandedTriangularSolve", bands[:1], ones)
record("BandedTriangularSolve", bands[:1] * [1, 0, 1], ones)
record("BandedTriangularSolve", bands[:0], ones)
record("BandedTriangularSolve", bands[:1], twice)
record("TridiagonalSolve", bands * 0, ones)
record("TridiagonalSolve", bands * 0, ones, partial_pivoting=False)
record("TridiagonalSolve", bands * 0, f([[1, 2], [3, 4], [5, 6]]), perturb_singular=True)
record("TridiagonalSolve", f([[1, 0], [1, 1], [0, 1]]), f([[1, 2], [3, 4]]), perturb_singular=True)
record("TridiagonalSolve", f([[1, 0], [1, 1], [0, 1]]), twice)
record("TridiagonalSolve", f([[0], [4], [0]]), f([[1, 2]]))
record("TridiagonalSolve", bands[:2], ones)
record("TridiagonalSolve", bands, twice)
record("TridiagonalMatMul", bands[:1], bands[1:2], bands[2:], twice)
record("TridiagonalMatMul", bands[:1], bands[1:2, :2], bands[2:], ones)
