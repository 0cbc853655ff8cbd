package programs_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// TestWinogradWithin: a convolution by transforms has the same bits in a loop, on a branch and in a
// partial run, with its filter a constant or a variable, whatever the variable held before and
// however that was changed. Gradients and other types and formats are as without it.
func TestWinogradWithin(t *testing.T) {
	const side, depth = 28, 24
	g := tf.NewGraph()
	s := op.NewScopeWithGraph(g).WithUniqueNames()
	rng := rand.New(rand.NewPCG(21, 22))
	draw := func(deviation float64, dims ...int64) *tf.Tensor {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * deviation)
		}
		v, err := tf.FromSlice(x, dims...)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	filters := func() *tf.Tensor { return draw(1/math.Sqrt(9*depth), 3, 3, depth, depth) }
	conv := func(s *op.Scope, x, w tf.Output) tf.Output {
		return op.Relu(s, op.Conv2D(s, x, w, []int64{1, 1, 1, 1}, "SAME"))
	}
	x := op.Placeholder(s.SubScope("x"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1, side, side, depth)))
	w := op.Placeholder(s.SubScope("w"), tf.Float, op.PlaceholderShape(tf.MakeShape(3, 3, depth, depth)))
	handle := op.VarHandleOp(s, tf.Float, tf.MakeShape(3, 3, depth, depth))
	assign, add := op.AssignVariableOp(s, handle, w), op.AssignAddVariableOp(s, handle, w)
	variable := op.ReadVariableOp(s, handle, tf.Float)
	constant := filters()
	fixed := op.Const(s, constant)
	within := map[string]tf.Output{}
	var firsts []tf.Output
	for name, filter := range map[string]tf.Output{"constant": fixed, "variable": variable, "fed": w} {
		first := conv(s, x, filter)
		firsts = append(firsts, first)
		within["straight, "+name] = conv(s, first, filter)
		within["loop, "+name] = op.While(s, []tf.Output{op.Const(s, int32(0)), x},
			func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], op.Const(s, int32(2))) },
			func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{op.Add(s, v[0], op.Const(s, int32(1))), conv(s, v[1], filter)}
			})[1]
		positive := op.Greater(s, op.Size(s, x), op.Const(s, int32(0)))
		no, yes := op.Switch(s, x, positive)
		_, right := op.Switch(s, filter, positive)
		merged, _ := op.Merge(s, []tf.Output{op.Neg(s, no), conv(s, conv(s, yes, right), right)})
		within["branch, "+name] = merged
	}
	// What is not computed by transforms.
	turned := op.Transpose(s, x, op.Const(s, []int32{0, 3, 1, 2}))
	others := []tf.Output{
		op.Conv2D(s, turned, fixed, []int64{1, 1, 1, 1}, "SAME", op.Conv2DDataFormat("NCHW")),
		op.Cast(s, op.Conv2D(s, op.Cast(s, x, tf.Half), op.Cast(s, fixed, tf.Half), []int64{1, 1, 1, 1}, "SAME"), tf.Float),
		op.Cast(s, op.Conv2D(s, op.Cast(s, x, tf.Bfloat16), op.Cast(s, fixed, tf.Bfloat16), []int64{1, 1, 1, 1}, "SAME"), tf.Float),
	}
	sum := op.Sum(s, op.Conv2D(s, x, fixed, []int64{1, 1, 1, 1}, "SAME"), op.Const(s, []int32{0, 1, 2, 3}))
	others = append(others, op.Gradients(s, []tf.Output{sum}, []tf.Output{x, fixed})...)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	run := func(session *tf.Session, feeds map[tf.Output]*tf.Tensor, fetch ...tf.Output) []*tf.Tensor {
		t.Helper()
		out, err := session.Run(feeds, fetch, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	same := func(a, b *tf.Tensor) bool {
		v, u := tensor.ValueOf(a), tensor.ValueOf(b)
		return slices.EqualFunc(tensor.Of[float32](&v), tensor.Of[float32](&u), sameFloatBits)
	}
	open := func(rewrite, engine string) *tf.Session {
		session, err := tf.NewSession(g, &tf.SessionOptions{Rewrite: rewrite, Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return session
	}
	plain := open("default", "")
	for _, engine := range []string{"actors", "tokens", "sequential"} {
		session := open("+winograd", engine)
		batches := []int64{1, 3, 1, 2, 3, 1}
		if testing.Short() {
			batches = batches[:2] // the variable is assigned, and added to
		}
		for i, batch := range batches {
			image, filter := draw(1, batch, side, side, depth), filters()
			target := assign
			if i%3 > 0 {
				target = add
			}
			if _, err := session.Run(map[tf.Output]*tf.Tensor{w: filter}, nil, []*tf.Operation{target}); err != nil {
				t.Fatal(err)
			}
			held := run(session, nil, variable)[0]
			for _, values := range []struct {
				name   string
				filter *tf.Tensor
			}{{"constant", constant}, {"variable", held}, {"fed", filter}} {
				// The same filter, fed to a session that has met no other.
				want := run(open("+winograd", engine), map[tf.Output]*tf.Tensor{x: image, w: values.filter}, within["straight, fed"])[0]
				if same(want, run(plain, map[tf.Output]*tf.Tensor{x: image, w: values.filter}, within["straight, fed"])[0]) {
					t.Fatal("transforms do not pay here")
				}
				for _, where := range []string{"straight, ", "loop, ", "branch, "} {
					for range 2 {
						got := run(session, map[tf.Output]*tf.Tensor{x: image, w: filter}, within[where+values.name])[0]
						if !same(got, want) {
							t.Fatalf("%s, %d images, change %d of the variable: %s%s has other bits", engine, batch, i, where, values.name)
						}
					}
				}
			}
			partial, err := session.NewPartialRun([]tf.Output{x, w}, []tf.Output{firsts[0], within["loop, fed"], within["loop, variable"]}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := partial.Run(map[tf.Output]*tf.Tensor{w: filter}, nil, nil); err != nil {
				t.Fatal(err)
			}
			got, err := partial.Run(map[tf.Output]*tf.Tensor{x: image}, []tf.Output{within["loop, variable"], within["loop, fed"]}, nil)
			if err != nil {
				t.Fatal(err)
			}
			partial.Close()
			for k, want := range run(session, map[tf.Output]*tf.Tensor{x: image, w: filter}, within["straight, variable"], within["straight, fed"]) {
				if !same(got[k], want) {
					t.Fatalf("%s, %d images: a partial run has other bits", engine, batch)
				}
			}
			for k, want := range run(plain, map[tf.Output]*tf.Tensor{x: image}, others...) {
				if !same(run(session, map[tf.Output]*tf.Tensor{x: image}, others...)[k], want) {
					t.Fatalf("%s: output %d of what has no transforms differs", engine, k)
				}
			}
		}
	}
}
