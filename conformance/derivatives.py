"""Records random graphs and their derivatives, as cases for `troupe conformance`.

    python conformance/derivatives.py --graphs 1000 --seed 1 derivatives.zip
    troupe conformance derivatives.zip

Needs TensorFlow 2. Each graph has loops, conditionals and functions of TensorFlow's
first or second front end within one another: while_loop, map_fn, foldl, scan, cond,
case and switch_case, functions, TensorArrays and lists. A case has the forward graph
alone and asks for its gradients of orders 1 and 2; what is expected is what
tf.gradients gives. TensorFlow gives zero or a part for some second derivatives, or
none at all. So each derivative is held against central differences of the one before
(of the function for order 1): where they differ, the differences are expected, with
the tag "differences". Graphs whose differences depend on the step are not recorded.
"""
import argparse
import json
import os
import random
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
N = 3  # elements of a vector


class Maker:
    """Draws a function of vectors of N elements."""

    def __init__(self, rng, second):
        self.rng, self.second, self.depth, self.tags = rng, second, 0, set()

    def const(self, scalar=False):
        size = None if scalar else N
        return tf.constant(np.round(np.asarray(self.uniform(size)), 3), tf.float64)

    def uniform(self, size):
        if size is None:
            return self.rng.uniform(-1.5, 1.5)
        return [self.rng.uniform(-1.5, 1.5) for _ in range(size)]

    def pick(self, seen):
        return self.rng.choice(seen[-4:] if self.rng.random() < 0.7 else seen)

    def step(self, seen):
        """One more value, made of those in sight."""
        r, x, y = self.rng, self.pick(seen), self.pick(seen)
        makers = [
            lambda: tf.sin(x), lambda: tf.tanh(x), lambda: x * y, lambda: x * y, lambda: x + y, lambda: x - 0.5 * y,
            lambda: tf.square(x) * 0.5, lambda: x / (1.5 + tf.square(y)), lambda: tf.exp(-tf.square(x)),
            lambda: tf.sigmoid(x) * self.const(), lambda: x * tf.reduce_sum(y) * 0.3,
            lambda: tf.reshape(tf.matmul(tf.reshape(x, [1, N]), tf.tile(tf.reshape(y, [1, N]), [N, 1])), [N]) * 0.3,
            lambda: tf.gather(x, [2, 0, 0]), lambda: tf.concat([x[1:], y[:1]], 0), lambda: tf.maximum(x, y),
            lambda: tf.where(x > 0.3, x * x, y), lambda: tf.cumsum(x) * 0.5, lambda: tf.reduce_prod(x) * y,
            lambda: tf.add_n(tf.split(tf.concat([x, y], 0), 2)), lambda: tf.stack(tf.unstack(x, N)[::-1]),
        ]
        nested = [self.loop, self.loop, self.cond, self.cond, self.case, self.map, self.fold, self.scan, self.call, self.array]
        if self.depth < 3 and r.random() < (0.55 if self.depth == 0 else 0.3):
            self.depth += 1
            made = r.choice(nested)(seen)
            self.depth -= 1
            return made
        return r.choice(makers)()

    def block(self, seen, most=3):
        seen = list(seen)
        for _ in range(self.rng.randint(1, most)):
            seen.append(self.step(seen))
        return tf.reshape(seen[-1], [N]) if self.rng.random() < 0.05 else seen[-1]

    def loop(self, seen):
        self.tags.add("while")
        r, trips = self.rng, self.rng.randint(0, 3)
        init = [self.pick(seen) for _ in range(r.randint(1, 2))]
        bound = r.random() < 0.3  # the number of turns depends on values

        def test(i, *v):
            more = i < trips
            return tf.logical_and(more, tf.reduce_sum(v[0]) < 2.0) if bound else more

        def body(i, *v):
            number = tf.cast(i, tf.float64) * 0.2 if r.random() < 0.3 else None
            out = [self.block(seen[-2:] + list(v)) for _ in v]
            if number is not None:
                out[0] = out[0] + number
            return (i + 1, *[tf.tanh(o) for o in out])

        out = tf.while_loop(test, body, (tf.constant(0), *init), parallel_iterations=r.choice([1, 10]))
        return out[1 + r.randrange(len(init))]

    def predicate(self, seen):
        return tf.reduce_sum(self.pick(seen)) < self.rng.uniform(-1, 1)

    def cond(self, seen):
        self.tags.add("cond")
        return tf.cond(self.predicate(seen), lambda: self.block(seen), lambda: self.block(seen, 2))

    def case(self, seen):
        self.tags.add("case")
        branches = [lambda: self.block(seen, 2) for _ in range(3)]
        if self.second:
            index = tf.cast(tf.math.floor(tf.reduce_sum(self.pick(seen))), tf.int32)
            return tf.switch_case(index, branches)
        return tf.case([(self.predicate(seen), branches[0]), (self.predicate(seen), branches[1])], default=branches[2])

    def map(self, seen):
        self.tags.add("map_fn")
        x, y = self.pick(seen), self.pick(seen)
        return tf.map_fn(lambda e: tf.reduce_sum(self.block([y, y * e], 2)) * 0.3, x)

    def fold(self, seen):
        self.tags.add("foldl")
        x, y = self.pick(seen), self.pick(seen)
        return tf.foldl(lambda a, e: tf.tanh(self.block([a, a * e, y], 2)), x, initializer=y)

    def scan(self, seen):
        self.tags.add("scan")
        x, y = self.pick(seen), self.pick(seen)
        out = tf.scan(lambda a, e: tf.tanh(self.block([y, a * e], 2)), x, initializer=y)
        return out[self.rng.randrange(N)] + tf.reduce_sum(out, 0) * 0.2

    def call(self, seen):
        self.tags.add("function")
        return tf.function(lambda *v: self.block(list(v)), autograph=False)(*seen[-3:])

    def array(self, seen):
        self.tags.add("TensorArray")
        a = tf.TensorArray(tf.float64, 3, clear_after_read=False, element_shape=[N])
        for i in range(3):
            a = a.write(i, self.block(seen, 1))
        if self.rng.random() < 0.5:
            return tf.reduce_sum(a.stack(), 0)
        return a.read(1) * a.read(self.rng.randrange(3))


def differences(f, xs, h):
    """The gradient of the sum of f at xs, by central differences of order 4."""
    grads = []
    for k, x in enumerate(xs):
        g = np.zeros_like(x)
        for at in np.ndindex(*x.shape):
            total = 0.0
            for by, weight in ((1, 8), (-1, -8), (2, -1), (-2, 1)):
                moved = [v.copy() for v in xs]
                moved[k][at] += by * h
                total += weight * f(moved)
            g[at] = total / (12 * h)
        grads.append(g)
    return grads


def near(a, b, tolerance):
    return all(np.all(np.abs(x - y) <= tolerance * (1 + np.abs(y))) for x, y in zip(a, b))


def case(seed):
    """Files of a case, by name; None if the graph has no clear derivatives."""
    rng = random.Random(seed)
    second = rng.random() < 0.6
    (v1.enable_control_flow_v2 if second else v1.disable_control_flow_v2)()
    graph = tf.Graph()
    maker = Maker(rng, second)
    with graph.as_default():
        v1.set_random_seed(1)
        xs = [v1.placeholder(tf.float64, [N], name="x%d" % i) for i in range(2)]
        seen = list(xs)
        for _ in range(rng.randint(2, 4)):
            seen.append(maker.step(seen))
        y = tf.identity(tf.reduce_sum(tf.reshape(seen[-1], [-1]) * maker.const()) + tf.reduce_sum(xs[0] * xs[1]), name="y")
        forward = graph.as_graph_def()
        orders, ys = [], [y]
        for _ in range(2):
            try:
                dx = tf.gradients(ys, xs, unconnected_gradients="zero")
                dx = [tf.convert_to_tensor(d) for d in dx]
            except Exception:  # TensorFlow has no such derivative
                break
            orders.append(dx)
            ys = dx
        at = [np.array(maker.uniform(N)) for _ in xs]
        with v1.Session(graph=graph, config=config()) as session:
            call = session.make_callable(y, xs)
            steps = (1e-3, 4e-4)
            tags = sorted(maker.tags) + ["v2" if second else "v1"]
            expect = []
            f = lambda v: float(call(*v))  # noqa: E731
            for order in range(2):
                fine = differences(f, at, steps[0])
                if not near(fine, differences(f, at, steps[1]), 1e-6):
                    return None
                own, given = None, orders[order] if order < len(orders) else None
                if given is not None:
                    try:
                        own = session.make_callable(given, xs)
                        values = own(*at)
                    except Exception:
                        own = None
                if own is None or not near(values, fine, 1e-5):
                    if order == 0:
                        return None
                    tags.append("differences")
                    expect += fine
                    break
                expect += values
                f = lambda v, own=own: float(sum(np.sum(d) for d in own(*v)))  # noqa: E731
    if not all(np.all(np.isfinite(e)) and np.all(np.abs(e) < 1e6) for e in expect):
        return None
    files = {"graph.pb": forward.SerializeToString()}
    for i, v in enumerate(at):
        files["in%d.tensor" % i] = tf.make_tensor_proto(v).SerializeToString()
    for i, v in enumerate(expect):
        files["out%d.tensor" % i] = tf.make_tensor_proto(np.asarray(v)).SerializeToString()
    loose = "differences" in tags
    files["case.json"] = json.dumps({
        "about": "Derivatives of orders 1 and 2 of a random graph, seed %d." % seed,
        "tags": tags,
        "ops": sorted({n.op for n in forward.node} | {n.op for f in forward.library.function for n in f.node_def}),
        "tolerance": {"rtol": 1e-5 if loose else 1e-7, "atol": 1e-5 if loose else 1e-8},
        "gradients": {"ys": ["y:0"], "xs": ["x0:0", "x1:0"], "grad_ys": [], "order": 2},
        "steps": [{
            "feeds": {"x%d:0" % i: "in%d.tensor" % i for i in range(2)},
            "fetches": ["gradient/%d" % i for i in range(4)],
            "expect": ["out%d.tensor" % i for i in range(4)],
        }],
    }).encode()
    return files


def config():
    c = v1.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
    c.graph_options.optimizer_options.opt_level = -1
    c.graph_options.rewrite_options.disable_meta_optimizer = True
    return c


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="the zip archive to write")
    parser.add_argument("--graphs", type=int, default=1000, help="how many cases to record")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first graph")
    args = parser.parse_args()
    recorded, by, seed = 0, {}, args.seed
    with zipfile.ZipFile(args.out, "w", zipfile.ZIP_DEFLATED) as z:
        while recorded < args.graphs:
            try:
                files = case(seed)
            except (ValueError, TypeError, tf.errors.OpError) as e:
                print("seed %d: %s" % (seed, str(e)[:200]))
                files = None
            seed += 1
            if files is None:
                continue
            recorded += 1
            for tag in json.loads(files["case.json"])["tags"]:
                by[tag] = by.get(tag, 0) + 1
            for name in sorted(files):
                z.writestr(zipfile.ZipInfo("random_%d/%s" % (seed - 1, name), (2026, 1, 1, 0, 0, 0)), files[name], zipfile.ZIP_DEFLATED)
    print("%d graphs of %d seeds; %s" % (recorded, seed - args.seed, by))


if __name__ == "__main__":
    main()
