package op_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// below returns the condition that the first variable is less than n.
func below(n int32) func(*op.Scope, []tf.Output) tf.Output {
	return func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], op.Const(s, n)) }
}

func TestWhile(t *testing.T) {
	for _, test := range []struct {
		name  string
		build func(s *op.Scope) []tf.Output
		want  []any
	}{
		{"sum", func(s *op.Scope) []tf.Output {
			return op.While(s, consts(s, int32(0), int32(0)), below(10),
				func(s *op.Scope, v []tf.Output) []tf.Output {
					return []tf.Output{op.Add(s, v[0], op.Const(s, int32(1))), op.Add(s, v[1], v[0])}
				})
		}, []any{int32(10), int32(45)}},
		{"never", func(s *op.Scope) []tf.Output {
			return op.While(s, consts(s, int32(7)), below(3),
				func(s *op.Scope, v []tf.Output) []tf.Output { return consts(s, int32(0)) })
		}, []any{int32(7)}},
		{"what comes from outside", func(s *op.Scope) []tf.Output {
			limit, step := op.Const(s.SubScope("limit"), int32(20)), op.Const(s.SubScope("step"), int32(3))
			return op.While(s, consts(s, int32(0), int32(1)),
				func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
				func(s *op.Scope, v []tf.Output) []tf.Output {
					return []tf.Output{op.Add(s, v[0], step), op.Add(s, step, step)}
				})
		}, []any{int32(21), int32(6)}},
		{"one value for another", func(s *op.Scope) []tf.Output {
			other := op.Const(s.SubScope("other"), int32(-1))
			return op.While(s, consts(s, int32(0), int32(1), int32(2)), below(2),
				func(s *op.Scope, v []tf.Output) []tf.Output { return []tf.Output{v[2], other, v[1]} })
		}, []any{int32(2), int32(-1), int32(1)}},
		{"nested", func(s *op.Scope) []tf.Output {
			step := op.Const(s.SubScope("step"), int32(1))
			return op.While(s, consts(s, int32(0), int32(0)), below(4),
				func(s *op.Scope, v []tf.Output) []tf.Output {
					i := v[0]
					inner := op.While(s, []tf.Output{op.Const(s, int32(0)), v[1]},
						func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], i) },
						func(s *op.Scope, v []tf.Output) []tf.Output {
							return []tf.Output{op.Add(s, v[0], step), op.Add(s, v[1], i)}
						}, op.WhileParallelIterations(1))
					return []tf.Output{op.Add(s, i, step), inner[1]}
				})
		}, []any{int32(4), int32(14)}},
		{"growing", func(s *op.Scope) []tf.Output {
			return op.While(s, consts(s, int32(0), []int32{}), below(3),
				func(s *op.Scope, v []tf.Output) []tf.Output {
					last := op.Reshape(s, v[0], op.Const(s, []int32{1}))
					return []tf.Output{
						op.Add(s, v[0], op.Const(s, int32(1))),
						op.ConcatV2(s, []tf.Output{v[1], last}, op.Const(s, int32(0))),
					}
				})
		}, []any{int32(3), []int32{0, 1, 2}}},
		{"twice", func(s *op.Scope) []tf.Output {
			var all []tf.Output
			for range 2 {
				all = append(all, op.While(s, consts(s.SubScope("init"), int32(0)), below(5),
					func(s *op.Scope, v []tf.Output) []tf.Output {
						return []tf.Output{op.Add(s, v[0], op.Const(s, int32(2)))}
					})...)
			}
			return all
		}, []any{int32(6), int32(6)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := op.NewScope()
			results := test.build(s)
			if diff := cmp.Diff(test.want, run(t, s, results)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What takes nothing from the loop, or only what is the same in all iterations,
// runs as often as the body all the same.
func TestWhileEffects(t *testing.T) {
	s := op.NewScope()
	count := op.VarHandleOp(s, tf.Int32, tf.ScalarShape(), op.VarHandleOpSharedName("count"))
	zero := op.AssignVariableOp(s, count, op.Const(s.SubScope("zero"), int32(0)))
	one := op.Const(s.SubScope("one"), int32(1))
	done := op.While(s.WithControlDependencies(zero), consts(s, int32(0)), below(5),
		func(s *op.Scope, v []tf.Output) []tf.Output {
			add := op.AssignAddVariableOp(s, count, one)
			return []tf.Output{op.Add(s.WithControlDependencies(add), v[0], one)}
		})
	after := op.ReadVariableOp(s.WithControlDependencies(done[0].Op), count, tf.Int32)
	if diff := cmp.Diff([]any{int32(5)}, run(t, s, []tf.Output{after})); diff != "" {
		t.Error(diff)
	}
}

func TestWhileErrors(t *testing.T) {
	same := func(s *op.Scope, v []tf.Output) []tf.Output { return v }
	for _, test := range []struct {
		name  string
		build func(s *op.Scope)
		want  string
	}{
		{"no variables", func(s *op.Scope) { op.While(s, nil, below(1), same) }, "at least one variable"},
		{"no iterations at once", func(s *op.Scope) {
			op.While(s, consts(s, int32(0)), below(1), same, op.WhileParallelIterations(0))
		}, "parallel_iterations is 0"},
		{"too few values", func(s *op.Scope) {
			op.While(s, consts(s, int32(0), int32(0)), below(1), func(s *op.Scope, v []tf.Output) []tf.Output { return v[:1] })
		}, "the loop has 2 variables, but its body gives 1"},
		{"another type", func(s *op.Scope) {
			op.While(s, consts(s, int32(0)), below(1), func(s *op.Scope, v []tf.Output) []tf.Output { return consts(s, float32(0)) })
		}, "float"},
		{"waiting for what is outside", func(s *op.Scope) {
			outside := op.NoOp(s)
			op.While(s, consts(s, int32(0)), below(1), func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{op.Identity(s.WithControlDependencies(outside), v[0])}
			})
		}, "outside the loop 'while'"},
		{"gradients", func(s *op.Scope) {
			op.While(s, consts(s, int32(0)), below(1), func(s *op.Scope, v []tf.Output) []tf.Output {
				return op.Gradients(s, v, v)
			})
		}, "inside a loop"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := op.NewScope()
			test.build(s)
			if err := s.Err(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one that contains %q", err, test.want)
			}
		})
	}
}
