"""Writes special.txt: values of special functions in float64.

Each line is an operation, its arguments and its value. SciPy computes the values,
and TensorFlow those of IgammaGradA, which SciPy lacks.

    python special.py > special.txt
"""
import itertools

import numpy as np
import scipy.special as sp
import tensorflow as tf


def line(op, args, want):
    print(op, *(repr(float(a)) for a in args), repr(float(want)))


shapes = [1e-8, 1e-3, 0.1, 0.5, 1.0, 1.5, 3.25, 9.9, 17.0, 55.5, 300.0, 1234.5, 1e5, 4e7, 1e10]
ratios = [1e-6, 0.01, 0.5, 0.9, 0.99, 1 - 1e-5, 1 - 1e-9, 1.0, 1 + 1e-9, 1 + 1e-5, 1.01, 1.1, 2.0, 20.0]
for a, r in itertools.product(shapes, ratios):
    x = a * r
    line("Igamma", (a, x), sp.gammainc(a, x))
    line("Igammac", (a, x), sp.gammaincc(a, x))
for a, r in itertools.product([a for a in shapes if 0.1 <= a <= 2000], ratios):
    x = np.float64(a * r)
    line("IgammaGradA", (a, x), tf.raw_ops.IgammaGradA(a=np.float64(a), x=x))
for a, b, x in itertools.product([1e-3, 0.5, 1.0, 2.5, 30.0, 1e3, 1e5], [0.01, 0.7, 1.0, 4.0, 77.0, 2e4], [1e-9, 0.01, 0.2, 0.5, 0.8, 0.999]):
    line("Betainc", (a, b, x), sp.betainc(a, b, x))
for x, q in itertools.product([1.0001, 1.5, 2.0, 3.0, 7.5, 40.0], [1e-5, 0.3, 1.0, 2.5, 9.0, 33.3, 1e4, 1e9]):
    line("Zeta", (x, q), sp.zeta(x, q))
for n, x in itertools.product([0, 1, 2, 3, 10], [1e-3, 0.5, 1.0, 4.5, 123.0]):
    line("Polygamma", (n, x), sp.polygamma(n, x) if n else sp.digamma(x))
for x in [0.0, 1e-10, 0.5, -1.0, 3.0, 7.9, -8.1, 19.99, 20.01, 35.0, -700.0, 1e6]:
    line("BesselI0e", (x,), sp.i0e(x))
    line("BesselI1e", (x,), sp.i1e(x))
for p in [0.0, 1e-300, 1e-100, 1e-20, 1e-5, 0.01, 0.0999, 0.1001, 0.3, 0.4999, 0.5, 0.6, 0.9, 0.99, 1 - 1e-10, 1.0]:
    line("Ndtri", (p,), sp.ndtri(p))
for x in [-0.999999, -0.9, -0.3, 1e-10, 0.0, 0.5, 0.99, 1 - 1e-12]:
    line("Erfinv", (x,), sp.erfinv(x))
for x in [-100.25, -3.7, -0.5, 1e-5, 0.3, 1.4, 1.5, 2.0, 9.9, 1e5]:
    line("Digamma", (x,), sp.digamma(x))
    line("Lgamma", (x,), sp.gammaln(x))
for x in [-5.0, -0.5, 1e-10, 0.3, 1.0, 2.5, 10.0, 26.0]:
    line("Erf", (x,), sp.erf(x))
    line("Erfc", (x,), sp.erfc(x))
