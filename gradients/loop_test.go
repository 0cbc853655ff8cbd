package gradients_test

import (
	"context"
	"math"
	"testing"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

var engines = []string{"actors", "tokens", "sequential", "seeded:1"}

// A model is a function of scalars, as a graph and in Go: ys of xs.
type model struct {
	name  string
	build func(s *op.Scope, x []tf.Output) tf.Output
	plain func(x []float64) float64
	at    [][]float64
}

func scalar(s *op.Scope, v any) tf.Output { return op.Const(s.SubScope("c"), v) }

// count runs body n times on variables.
func count(s *op.Scope, n int32, init []tf.Output, body func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output) []tf.Output {
	limit := scalar(s, n)
	return op.While(s, append([]tf.Output{scalar(s, int32(0))}, init...),
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			next := body(s, v[0], v[1:])
			return append([]tf.Output{op.Add(s.SubScope("i"), v[0], scalar(s, int32(1)))}, next...)
		})[1:]
}

var models = []model{
	{"power", func(s *op.Scope, x []tf.Output) tf.Output {
		return count(s, 5, []tf.Output{scalar(s, 1.0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.Mul(s, v[0], x[0])}
		})[0]
	}, func(x []float64) float64 { return math.Pow(x[0], 5) }, [][]float64{{1.5}, {-0.7}, {0}}},

	{"no iteration", func(s *op.Scope, x []tf.Output) tf.Output {
		return count(s, 0, []tf.Output{x[0]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.Square(s, v[0])}
		})[0]
	}, func(x []float64) float64 { return x[0] }, [][]float64{{1.5}}},

	{"two variables", func(s *op.Scope, x []tf.Output) tf.Output {
		out := count(s, 4, []tf.Output{x[0], x[1]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.Mul(s, v[0], v[1]), op.Sin(s, v[0])}
		})
		return op.Add(s, out[0], op.Mul(s, out[1], x[1]))
	}, func(x []float64) float64 {
		a, b := x[0], x[1]
		for range 4 {
			a, b = a*b, math.Sin(a)
		}
		return a + b*x[1]
	}, [][]float64{{1.5, 0.3}, {-2, 1}}},

	{"swapped and unused", func(s *op.Scope, x []tf.Output) tf.Output {
		out := count(s, 3, []tf.Output{x[0], x[1], x[0]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{v[1], v[0], op.Exp(s, v[2])}
		})
		return op.Mul(s, out[0], op.Square(s, out[1]))
	}, func(x []float64) float64 { return x[1] * x[0] * x[0] }, [][]float64{{1.5, 0.3}}},

	{"counter in body", func(s *op.Scope, x []tf.Output) tf.Output {
		return count(s, 5, []tf.Output{x[0]}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.Add(s, op.Mul(s, v[0], x[0]), op.Cast(s, i, tf.Double))}
		})[0]
	}, func(x []float64) float64 {
		v := x[0]
		for i := range 5 {
			v = v*x[0] + float64(i)
		}
		return v
	}, [][]float64{{1.1}, {-0.4}}},

	{"nested", func(s *op.Scope, x []tf.Output) tf.Output {
		return count(s, 3, []tf.Output{x[0]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			inner := count(s, 2, []tf.Output{v[0], x[1]}, func(s *op.Scope, _ tf.Output, u []tf.Output) []tf.Output {
				return []tf.Output{op.Sin(s, op.Mul(s, u[0], u[1])), op.Mul(s, u[1], op.Add(s, v[0], x[0]))}
			})
			return []tf.Output{op.Add(s, inner[0], op.Mul(s, inner[1], scalar(s, 0.25)))}
		})[0]
	}, func(x []float64) float64 {
		v := x[0]
		for range 3 {
			a, b := v, x[1]
			for range 2 {
				a, b = math.Sin(a*b), b*(v+x[0])
			}
			v = a + b*0.25
		}
		return v
	}, [][]float64{{0.8, 0.6}, {-0.5, 1.2}}},

	{"after each other", func(s *op.Scope, x []tf.Output) tf.Output {
		a := count(s, 3, []tf.Output{x[0]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.Sin(s, v[0])}
		})[0]
		return count(s, 2, []tf.Output{a}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.Mul(s, v[0], op.Add(s, a, x[0]))}
		})[0]
	}, func(x []float64) float64 {
		a := x[0]
		for range 3 {
			a = math.Sin(a)
		}
		v := a
		for range 2 {
			v *= a + x[0]
		}
		return v
	}, [][]float64{{0.9}}},

	{"branches", func(s *op.Scope, x []tf.Output) tf.Output {
		return count(s, 4, []tf.Output{x[0]}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
			p := op.Greater(s, v[0], scalar(s, 1.0))
			f, t := op.Switch(s, v[0], p)
			xf, xt := op.Switch(s.SubScope("x"), x[1], p)
			small := op.Mul(s, op.Square(s, op.Add(s, f, xf)), xf)
			large := op.Mul(s, op.Sin(s, t), xt)
			m, _ := op.Merge(s, []tf.Output{small, large})
			return []tf.Output{m}
		})[0]
	}, func(x []float64) float64 {
		v := x[0]
		for range 4 {
			if v > 1 {
				v = math.Sin(v) * x[1]
			} else {
				v = (v + x[1]) * (v + x[1]) * x[1]
			}
		}
		return v
	}, [][]float64{{0.8, 0.6}, {1.5, 1.2}, {2, -0.3}}},

	{"branches in branches, one side handed on", func(s *op.Scope, x []tf.Output) tf.Output {
		return count(s, 5, []tf.Output{x[0]}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
			p := op.Greater(s, v[0], scalar(s, 0.5))
			f, t := op.Switch(s, v[0], p)
			q := op.Less(s, t, scalar(s, 2.0))
			tf_, tt := op.Switch(s.SubScope("in"), t, q)
			inner, _ := op.Merge(s.SubScope("in"), []tf.Output{op.Exp(s, op.Neg(s, tf_)), op.Mul(s, tt, op.Square(s, tt))})
			m, _ := op.Merge(s, []tf.Output{op.Add(s, f, x[1]), inner})
			return []tf.Output{m}
		})[0]
	}, func(x []float64) float64 {
		v := x[0]
		for range 5 {
			switch {
			case v > 0.5 && v < 2:
				v = v * v * v
			case v > 0.5:
				v = math.Exp(-v)
			default:
				v += x[1]
			}
		}
		return v
	}, [][]float64{{0.3, 0.15}, {1.3, 0.6}, {3, 0.2}}},

	{"a condition that is passed twice", func(s *op.Scope, x []tf.Output) tf.Output {
		return count(s, 4, []tf.Output{x[0]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			p := op.Greater(s, v[0], scalar(s, 0.7))
			f, t := op.Switch(s, v[0], p)
			f, _ = op.Switch(s.SubScope("f"), op.Square(s, f), p)
			_, t = op.Switch(s.SubScope("t"), op.Sin(s, t), p)
			m, _ := op.Merge(s, []tf.Output{op.Mul(s, f, x[0]), op.Square(s.SubScope("t"), t)})
			return []tf.Output{m}
		})[0]
	}, func(x []float64) float64 {
		v := x[0]
		for range 4 {
			if v > 0.7 {
				v = math.Sin(v) * math.Sin(v)
			} else {
				v = v * v * x[0]
			}
		}
		return v
	}, [][]float64{{0.9}, {0.6}, {1.4}}},

	{"a vector that grows, and one that is chosen", func(s *op.Scope, x []tf.Output) tf.Output {
		v := op.Pack(s, []tf.Output{x[0], x[1]})
		out := count(s, 3, []tf.Output{v, x[0]}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
			p := op.Greater(s, v[1], scalar(s, 0.5))
			f, t := op.Switch(s, v[1], p)
			m, _ := op.Merge(s, []tf.Output{op.Square(s, f), op.Mul(s, op.Square(s.SubScope("t"), t), t)})
			return []tf.Output{op.ConcatV2(s, []tf.Output{v[0], v[0]}, scalar(s, int32(0))), m}
		})
		w := op.Add(s, out[0], out[0])
		u := op.Mul(s, w, w)
		return op.Mul(s.SubScope("all"), op.Sum(s, op.Add(s.SubScope("u"), u, u), scalar(s, int32(0))), out[1])
	}, func(x []float64) float64 {
		m := x[0]
		for range 3 {
			if m > 0.5 {
				m *= m * m
			} else {
				m *= m
			}
		}
		return m * 8 * 8 * (x[0]*x[0] + x[1]*x[1])
	}, [][]float64{{0.9, 0.3}, {0.4, -0.2}}},

	{"rows that a branch puts together", func(s *op.Scope, x []tf.Output) tf.Output {
		m := op.Pack(s, []tf.Output{op.Pack(s.SubScope("a"), []tf.Output{x[0], x[1]}), op.Pack(s.SubScope("b"), []tf.Output{x[1], x[0]})})
		all := scalar(s, []int32{0, 1})
		return count(s, 3, []tf.Output{x[0]}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			p := op.Greater(s, v[0], scalar(s, 0.5))
			f, t := op.Switch(s, m, p)
			axis := scalar(s.WithControlDependencies(op.Identity(s, t).Op), int32(0)) // of that branch, too
			rows := op.ConcatV2(s, []tf.Output{op.MatMul(s, t, t), t}, axis)
			either, _ := op.Merge(s, []tf.Output{f, rows})
			sum := op.Sum(s, op.Square(s, op.MatMul(s.SubScope("m"), either, m)), all)
			return []tf.Output{op.Sin(s, op.Mul(s, sum, v[0]))}
		})[0]
	}, func(x []float64) float64 {
		product := func(a [][2]float64, b [2][2]float64) (c [][2]float64) {
			for _, r := range a {
				c = append(c, [2]float64{r[0]*b[0][0] + r[1]*b[1][0], r[0]*b[0][1] + r[1]*b[1][1]})
			}
			return c
		}
		m := [2][2]float64{{x[0], x[1]}, {x[1], x[0]}}
		v := x[0]
		for range 3 {
			rows := m[:]
			if v > 0.5 {
				rows = append(product(rows, m), rows...)
			}
			sum := 0.0
			for _, r := range product(rows, m) {
				sum += r[0]*r[0] + r[1]*r[1]
			}
			v = math.Sin(sum * v)
		}
		return v
	}, [][]float64{{0.6, 0.2}, {0.4, -0.7}}},

	{"a loop in a branch in a loop", func(s *op.Scope, x []tf.Output) tf.Output {
		return count(s, 4, []tf.Output{x[0]}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
			p := op.Greater(s, v[0], scalar(s, 0.7))
			f, t := op.Switch(s, v[0], p)
			yf, _ := op.Switch(s.SubScope("y"), x[1], p)
			zero, _ := op.Switch(s.SubScope("z"), scalar(s, int32(0)), p)
			limit, _ := op.Switch(s.SubScope("l"), scalar(s, int32(3)), p)
			one, _ := op.Switch(s.SubScope("o"), scalar(s, int32(1)), p)
			u := op.While(s, []tf.Output{zero, f},
				func(s *op.Scope, u []tf.Output) tf.Output { return op.Less(s, u[0], limit) },
				func(s *op.Scope, u []tf.Output) []tf.Output {
					return []tf.Output{op.Add(s, u[0], one), op.Mul(s, op.Exp(s, u[1]), yf)}
				})[1]
			m, _ := op.Merge(s, []tf.Output{u, op.Square(s, op.Sin(s, t))})
			return []tf.Output{m}
		})[0]
	}, func(x []float64) float64 {
		v := x[0]
		for range 4 {
			if v > 0.7 {
				v = math.Sin(v) * math.Sin(v)
			} else {
				for range 3 {
					v = math.Exp(v) * x[1]
				}
			}
		}
		return v
	}, [][]float64{{0.3, 0.3}, {1.3, 0.31}}},
}

// The gradients of loops are those that differences of the same loops in Go show.
func TestLoops(t *testing.T) {
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			s := op.NewScope()
			var xs []tf.Output
			for range m.at[0] {
				xs = append(xs, op.Placeholder(s.SubScope("x"), tf.Double, op.PlaceholderShape(tf.ScalarShape())))
			}
			y := m.build(s, xs)
			g, err := s.Finalize()
			if err != nil {
				t.Fatal(err)
			}
			dx, err := gradients.Dense(g, []graph.Output{y}, xs, gradients.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, engine := range engines {
				for _, at := range m.at {
					got := run(t, engine, g, xs, at, append([]tf.Output{y}, dx...))
					if want := m.plain(at); math.Abs(got[0]-want) > 1e-12*(1+math.Abs(want)) {
						t.Fatalf("%s: at %v the value is %v, want %v", engine, at, got[0], want)
					}
					for i := range xs {
						if want := difference(m.plain, at, i); math.Abs(got[1+i]-want) > 1e-6*(1+math.Abs(want)) {
							t.Errorf("%s: at %v the derivative for x%d is %v, want %v", engine, at, i, got[1+i], want)
						}
					}
				}
			}
		})
	}
}

// Gradients of gradients of loops are those that differences of the gradients show, and
// each call of Dense on a graph adds loops of its own.
func TestSecondDerivatives(t *testing.T) {
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			s := op.NewScope()
			var xs []tf.Output
			for range m.at[0] {
				xs = append(xs, op.Placeholder(s.SubScope("x"), tf.Double, op.PlaceholderShape(tf.ScalarShape())))
			}
			y := m.build(s, xs)
			g, err := s.Finalize()
			if err != nil {
				t.Fatal(err)
			}
			first, err := gradients.Dense(g, []graph.Output{y}, xs, gradients.Options{})
			if err != nil {
				t.Fatal(err)
			}
			second, err := gradients.Dense(g, first, xs, gradients.Options{})
			if err != nil {
				t.Fatal(err)
			}
			sum := func(x []float64) (total float64) {
				for _, d := range run(t, "sequential", g, xs, x, first) {
					total += d
				}
				return total
			}
			for _, at := range m.at {
				want := make([]float64, len(xs))
				for i := range xs {
					want[i] = difference(sum, at, i)
				}
				for _, engine := range engines {
					for i, got := range run(t, engine, g, xs, at, second) {
						if math.Abs(got-want[i]) > 1e-6*(1+math.Abs(want[i])) {
							t.Errorf("%s: at %v the second derivative for x%d is %v, want %v", engine, at, i, got, want[i])
						}
					}
				}
			}
		})
	}
}

// difference returns the derivative of f for x[i], by central differences of fourth order.
func difference(f func([]float64) float64, x []float64, i int) float64 {
	const h = 1e-3
	at := func(d float64) float64 {
		y := append([]float64{}, x...)
		y[i] += d
		return f(y)
	}
	return (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
}

func run(t *testing.T, engine string, g *graph.Graph, xs []tf.Output, at []float64, fetches []tf.Output) []float64 {
	t.Helper()
	s, err := tf.NewSession(g, &tf.SessionOptions{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	feeds := map[tf.Output]*tf.Tensor{}
	for i, x := range xs {
		if feeds[x], err = tf.NewTensor(at[i]); err != nil {
			t.Fatal(err)
		}
	}
	out, err := s.RunContext(context.Background(), feeds, fetches, nil)
	if err != nil {
		t.Fatalf("%s: %v", engine, err)
	}
	values := make([]float64, len(out))
	for i, v := range out {
		values[i] = v.Value().(float64)
	}
	return values
}
