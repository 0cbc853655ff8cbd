package session_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/session"
)

// The tests here let values be reshaped, cut and joined again and again, under
// a memory limit that a fraction of the rounds would pass if one buffer of a
// round were kept.
const (
	viewRows    = 4
	viewWidth   = 1<<14 + 16
	viewCount   = viewRows * viewWidth // elements: 4 bytes each; a row is large enough for a view
	viewRounds  = 16
	viewLimit   = 8 * 4 * viewCount
	viewThreads = 3
)

// A round makes of y, a vector, a vector with the same elements, negated.
type round func(s *op.Scope, y session.Output) session.Output

func dims(s *op.Scope, d ...int32) session.Output { return op.Const(s, d) }

func flat(s *op.Scope, y session.Output) session.Output {
	return op.Reshape(s, y, dims(s, viewCount))
}

func matrix(s *op.Scope, y session.Output) session.Output {
	return op.Reshape(s, y, dims(s, viewRows, viewWidth))
}

// mean returns the mean of x and y, which reads one of them again.
func mean(s *op.Scope, x, y session.Output) session.Output {
	return op.Mul(s, op.AddV2(s, x, y), op.Const(s, float32(0.5)))
}

// rounds are the operations that make views, of values that are read again and
// of values that are not.
var rounds = map[string]round{
	"reshape": func(s *op.Scope, y session.Output) session.Output {
		return flat(s, op.Reshape(s, matrix(s, op.Neg(s, y)), dims(s, 2, -1)))
	},
	"reshape, read again": func(s *op.Scope, y session.Output) session.Output {
		y = op.Neg(s, y)
		return mean(s, y, flat(s, matrix(s, y)))
	},
	"reshape of what is carried": func(s *op.Scope, y session.Output) session.Output {
		return mean(s, op.Neg(s, y), flat(s, op.Neg(s, matrix(s, y))))
	},
	"squeeze, read again": func(s *op.Scope, y session.Output) session.Output {
		y = op.Neg(s, y)
		wide := op.ExpandDims(s, y, op.Const(s, int32(0)))
		return mean(s, op.Squeeze(s, wide), op.Squeeze(s, op.ExpandDims(s, wide, op.Const(s, int32(-1)))))
	},
	"unpack": func(s *op.Scope, y session.Output) session.Output {
		return flat(s, op.Pack(s, op.Unpack(s, matrix(s, op.Neg(s, y)), viewRows)))
	},
	"unpack, read again": func(s *op.Scope, y session.Output) session.Output {
		m := matrix(s, op.Neg(s, y))
		return flat(s, mean(s, m, op.Pack(s, op.Unpack(s, m, viewRows))))
	},
	"split": func(s *op.Scope, y session.Output) session.Output {
		return op.ConcatV2(s, op.Split(s, op.Const(s, int32(0)), op.Neg(s, y), 2), op.Const(s, int32(0)))
	},
	"split, read again": func(s *op.Scope, y session.Output) session.Output {
		y = op.Neg(s, y)
		parts := op.SplitV(s, y, dims(s, viewWidth, -1), op.Const(s, int32(0)), 2)
		return mean(s, op.ConcatV2(s, parts, op.Const(s, int32(0))), y)
	},
	"views of views": func(s *op.Scope, y session.Output) session.Output {
		parts := op.Split(s, op.Const(s, int32(0)), matrix(s, op.Neg(s, y)), 2)
		upper := op.Unpack(s, parts[0], viewRows/2)
		return op.ConcatV2(s, append(upper, op.Reshape(s, parts[1], dims(s, -1))), op.Const(s, int32(0)))
	},
	"views written in place": func(s *op.Scope, y session.Output) session.Output {
		parts := op.Split(s, op.Const(s, int32(0)), op.Identity(s, op.Neg(s, y)), 2)
		for i := range parts {
			parts[i] = op.Neg(s, op.Neg(s, parts[i]))
		}
		return op.ConcatV2(s, parts, op.Const(s, int32(0)))
	},
	"slices": func(s *op.Scope, y session.Output) session.Output {
		y = op.Neg(s, y)
		begin, middle, end := dims(s, 0), dims(s, viewCount/2), dims(s, viewCount)
		return op.ConcatV2(s, []session.Output{
			op.StridedSlice(s, y, begin, middle, dims(s, 1)), op.StridedSlice(s, y, middle, end, dims(s, 1)),
		}, op.Const(s, int32(0)))
	},
	"slices, read again": func(s *op.Scope, y session.Output) session.Output {
		y = op.Neg(s, y)
		at, size := dims(s, viewWidth), dims(s, viewWidth)
		inner := op.Slice(s, y, at, size)
		return mean(s, y, op.ConcatV2(s, []session.Output{
			op.Slice(s, y, dims(s, 0), size), inner, op.Slice(s, y, dims(s, 2*viewWidth), dims(s, -1)),
		}, op.Const(s, int32(0))))
	},
	"rows by index": func(s *op.Scope, y session.Output) session.Output {
		m := matrix(s, op.Neg(s, y))
		parts := make([]session.Output, viewRows)
		for i := range parts {
			parts[i] = op.GatherV2(s, m, op.Const(s, int32(i)), op.Const(s, int32(0)))
		}
		return flat(s, op.Pack(s, parts))
	},
	"bitcast, read again": func(s *op.Scope, y session.Output) session.Output {
		y = op.Neg(s, y)
		return mean(s, y, op.Bitcast(s, op.Bitcast(s, y, session.Int32), session.Float))
	},
	"broadcast to what it is": func(s *op.Scope, y session.Output) session.Output {
		return op.BroadcastTo(s, op.Neg(s, y), dims(s, viewCount))
	},
	"variable": func(s *op.Scope, y session.Output) session.Output {
		parts := op.Split(s, op.Const(s, int32(0)), op.Neg(s, y), 4)
		for i := range parts {
			v := op.VarHandleOp(s, session.Float, session.MakeShape(viewWidth), op.VarHandleOpSharedName(fmt.Sprint("v", i)))
			set := op.AssignVariableOp(s, v, parts[i])
			parts[i] = op.Identity(s, op.ReadVariableOp(s.WithControlDependencies(set), v, session.Float))
		}
		return op.ConcatV2(s, parts, op.Const(s, int32(0)))
	},
	"tensor array": func(s *op.Scope, y session.Output) session.Output {
		handle, flow := op.TensorArrayV3(s, op.Const(s, int32(viewRows)), session.Float, op.TensorArrayV3ClearAfterRead(false))
		for i, part := range op.Split(s, op.Const(s, int32(0)), op.Neg(s, y), viewRows) {
			flow = op.TensorArrayWriteV3(s, handle, op.Const(s, int32(i)), part, flow)
		}
		all := flat(s, op.TensorArrayGatherV3(s, handle, dims(s, 0, 1, 2, 3), flow, session.Float))
		done := op.TensorArrayCloseV3(s.WithControlDependencies(all.Op), handle)
		return op.Identity(s.WithControlDependencies(done), all)
	},
	"queue": func(s *op.Scope, y session.Output) session.Output {
		queue := op.FIFOQueueV2(s, []session.DataType{session.Float, session.Float}, op.FIFOQueueV2SharedName("q"))
		parts := op.SplitV(s, op.Neg(s, y), dims(s, viewWidth, -1), op.Const(s, int32(0)), 2)
		put := op.QueueEnqueueV2(s, queue, parts)
		got := op.QueueDequeueV2(s.WithControlDependencies(put), queue, []session.DataType{session.Float, session.Float})
		return op.ConcatV2(s, got, op.Const(s, int32(0)))
	},
}

// TestViewsGiveMemoryBack runs every round many times: in a loop, and one after
// the other in a graph without one.
func TestViewsGiveMemoryBack(t *testing.T) {
	x := make([]float32, viewCount)
	for i := range x {
		x[i] = float32(i)
	}
	for name, r := range rounds {
		for _, loop := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/loop=%v", name, loop), func(t *testing.T) {
				s := op.NewScope()
				in := op.Placeholder(s, session.Float, op.PlaceholderShape(session.MakeShape(viewCount)))
				var out session.Output
				if loop {
					out = op.While(s, []session.Output{op.Const(s, int32(0)), in},
						func(s *op.Scope, v []session.Output) session.Output {
							return op.Less(s, v[0], op.Const(s, int32(viewRounds)))
						},
						func(s *op.Scope, v []session.Output) []session.Output {
							return []session.Output{op.AddV2(s, v[0], op.Const(s, int32(1))), r(s, v[1])}
						})[1]
				} else {
					u := s.WithUniqueNames()
					out = in
					for range viewRounds {
						out = r(u, out)
					}
				}
				g, err := s.Finalize()
				if err != nil {
					t.Fatal(err)
				}
				for _, engine := range []string{"sequential", "actors", "tokens", "messages", "seeded:1"} {
					checkViews(t, g, engine, in, out, x)
				}
			})
		}
	}
}

// checkViews runs a graph twice, of which the fetched tensors stay alive,
// and looks at them at the end.
func checkViews(t *testing.T, g *session.Graph, engine string, in, out session.Output, x []float32) {
	t.Helper()
	sess, err := session.NewSession(g, &session.SessionOptions{Engine: engine, MemoryLimit: viewLimit, Threads: viewThreads})
	if err != nil {
		t.Fatal(err)
	}
	var fetched []*session.Tensor
	before := int64(-1)
	for range 2 {
		got, err := sess.Run(map[session.Output]*session.Tensor{in: tensorOf(t, x)}, []session.Output{out, out}, nil)
		if err != nil {
			t.Errorf("%s: %v", engine, err)
			break
		}
		fetched = append(fetched, got...)
		// What variables hold is in use between steps, and no more with each.
		if used := sess.MemoryInUse(); before >= 0 && used != before || used > 5*viewCount {
			t.Errorf("%s: %d bytes in use between steps, and %d before", engine, used, before)
		}
		before = sess.MemoryInUse()
	}
	for _, f := range fetched {
		got := f.Value().([]float32)
		for i := range x {
			if got[i] != x[i] { // an even number of rounds
				t.Errorf("%s: element %d is %v, want %v", engine, i, got[i], x[i])
				break
			}
		}
	}
	if err := sess.Close(); err != nil {
		t.Error(err)
	}
	if used := sess.MemoryInUse(); used != 0 {
		t.Errorf("%s: %d bytes are in use of a closed session", engine, used)
	}
}

// TestFetchedViews: views that are fetched together, with what they show, are
// good after later steps, and keep none of the session's memory.
func TestFetchedViews(t *testing.T) {
	s := op.NewScope().WithUniqueNames()
	in := op.Placeholder(s, session.Float, op.PlaceholderShape(session.MakeShape(viewCount)))
	y := op.Neg(s, in)
	m := matrix(s, y)
	rows := op.Unpack(s, m, viewRows)
	first := op.Reshape(s, rows[0], dims(s, viewWidth, 1))
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"sequential", "actors", "tokens", "messages", "seeded:3"} {
		sess, err := session.NewSession(g, &session.SessionOptions{Engine: engine, MemoryLimit: viewLimit, Threads: viewThreads})
		if err != nil {
			t.Fatal(err)
		}
		type step struct {
			scale float32
			got   []*session.Tensor
		}
		var steps []step
		for k := range 5 {
			x := make([]float32, viewCount)
			for i := range x {
				x[i] = float32(k+1) * float32(i)
			}
			fetches := [][]session.Output{{y, m, rows[1], first}, {rows[1], rows[1]}, {m}, {first, rows[3]}, {rows[2], y}}[k]
			got, err := sess.Run(map[session.Output]*session.Tensor{in: tensorOf(t, x)}, fetches, nil)
			if err != nil {
				t.Fatal(err)
			}
			if used := sess.MemoryInUse(); used != 0 {
				t.Errorf("%s: %d bytes in use between steps", engine, used)
			}
			steps = append(steps, step{float32(k + 1), got})
		}
		for k, want := range [][]int{{0, 0, 1, 0}, {1, 1}, {0}, {0, 3}, {2, 0}} {
			for i, row := range want {
				tensor := steps[k].got[i]
				all, err := session.Data[float32](tensor)
				if err != nil {
					t.Fatal(err)
				}
				for j, x := range all {
					if want := -steps[k].scale * float32(row*viewWidth+j); x != want {
						t.Errorf("%s: step %d, fetch %d: element %d is %v, want %v", engine, k, i, j, x, want)
						break
					}
				}
			}
		}
		if err := sess.Close(); err != nil {
			t.Error(err)
		}
	}
}
