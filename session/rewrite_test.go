package session_test

import (
	"context"
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/nn"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// dense is a layer whose bias is a constant subgraph.
const dense = `
	x = Placeholder() {dtype=DT_FLOAT, shape=shape [?,2]}
	w = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2,2] values: 1 2 3 4>}
	one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2] values: 1 -30>}
	two = Neg(one)
	b = Neg(two)
	product = MatMul(x, w)
	sum = AddV2(product, b)
	y = Relu(sum)
	z = Tanh(y)
	half = Mul(z, one)
`

func newDense(t *testing.T, options *session.SessionOptions) (*session.Graph, *session.Session) {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, dense); err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(g, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return g, s
}

// TestRewriteKeeps runs a program that is rewritten beside one that is not: what comes
// out, also of what lies within, and what it fails with.
func TestRewriteKeeps(t *testing.T) {
	for _, c := range []struct {
		feed  string
		value any
		fetch []string
	}{
		{"x", [][]float32{{1, 2}, {3, 4}, {5, 6}}, []string{"half"}},
		{"x", [][]float32{{1, 2}}, []string{"product", "sum", "y", "z", "half", "b"}},
		{"product", [][]float32{{1, 2}}, []string{"half"}},
		{"sum", [][]float32{{1, -2}}, []string{"half"}},
		{"sum", float32(3), []string{"y"}}, // of another rank than the graph says
		{"b", []float32{1}, []string{"half"}},
		{"w", [][]float32{{1, 2, 3}, {4, 5, 6}}, []string{"half"}}, // sum fails
		{"x", [][]float32{{1, 2, 3}}, []string{"half"}},            // product fails
		{"z", []float32{1, 2, 3}, []string{"half"}},
	} {
		var answers [2]string
		for i, passes := range []string{"none", "default"} {
			g, s := newDense(t, &session.SessionOptions{Rewrite: passes})
			value, err := tensor.NewTensor(c.value)
			if err != nil {
				t.Fatal(err)
			}
			feeds := map[session.Output]*session.Tensor{g.Operation(c.feed).Output(0): value}
			if c.feed != "x" {
				x, _ := tensor.NewTensor([][]float32{{1, 2}})
				feeds[g.Operation("x").Output(0)] = x
			}
			var fetches []session.Output
			for _, name := range c.fetch {
				fetches = append(fetches, g.Operation(name).Output(0))
			}
			out, err := s.Run(feeds, fetches, nil)
			if err != nil {
				answers[i] = fmt.Sprintf("%+v", *status.From(err))
			}
			for _, v := range out {
				answers[i] += v.String()
			}
		}
		if answers[0] != answers[1] {
			t.Errorf("%s fed, %v fetched: %s; rewritten: %s", c.feed, c.fetch, answers[0], answers[1])
		}
	}
}

// TestRewriteTells: a run says what the passes saved.
func TestRewriteTells(t *testing.T) {
	g, s := newDense(t, nil)
	x, _ := tensor.NewTensor([][]float32{{1, 2}})
	var meta session.RunMetadata
	_, err := s.RunWithOptions(context.Background(), session.RunOptions{Metadata: &meta},
		map[session.Output]*session.Tensor{g.Operation("x").Output(0): x}, []session.Output{g.Operation("y").Output(0)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	saved := map[string]int{}
	for _, p := range meta.Rewritten {
		saved[p.Pass] = p.Before - p.After
	}
	if saved["prune"] != 2 || saved["fold"] != 2 || saved["epilogue"] != 2 {
		t.Errorf("saved %v", saved)
	}
}

// TestRewriteChosen: passes are chosen by the option, or by the ConfigProto.
func TestRewriteChosen(t *testing.T) {
	message := func(num protowire.Number, body []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), body)
	}
	number := func(num protowire.Number, x uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), x)
	}
	minusOne := ^uint64(0)
	for _, c := range []struct {
		option string
		config []byte
		fold   bool
		fused  bool
	}{
		{"", nil, true, true},
		{"none", nil, false, false},
		{"fold", nil, true, false},
		{"-fold", nil, false, true},
		{"", message(10, message(3, number(3, minusOne))), false, false},                                       // opt_level L0
		{"", message(10, message(10, number(19, 1))), false, false},                                            // disable_meta_optimizer
		{"", message(10, message(10, number(3, 2))), false, true},                                              // constant_folding off
		{"", message(10, message(10, number(14, 2))), true, false},                                             // remapping off
		{"", message(10, append(message(3, number(3, minusOne)), message(10, number(7, 3))...)), false, false}, // L0 goes before arithmetic AGGRESSIVE
		{"", message(10, message(10, append(number(19, 1), number(7, 3)...))), false, false},                   // so does disable_meta_optimizer
		{"", message(10, message(10, append(number(3, 2), number(14, 2)...))), false, false},                   // two off
		{"all", message(10, message(3, number(3, minusOne))), true, true},                                      // the option goes first
		{"default", message(10, message(10, number(19, 1))), true, true},                                       // also where it is the default
		{"-fold", message(10, message(10, number(14, 2))), false, true},                                        // it replaces toggles, and adds none
		{"fold", message(10, message(10, append(number(3, 2), number(14, 1)...))), true, false},
		{"none", message(10, message(10, number(3, 1))), false, false},
		{"", message(10, message(10, number(3, 1))), true, true}, // on
	} {
		g, s := newDense(t, &session.SessionOptions{Rewrite: c.option, Config: c.config})
		call, err := s.MakeCallable([]session.Output{g.Operation("x").Output(0)}, []session.Output{g.Operation("y").Output(0)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, passes, err := call.Rewritten(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		saved := map[string]int{}
		for _, p := range passes {
			saved[p.Pass] = p.Before - p.After
		}
		_, algebra := saved["algebra"]
		if saved["fold"] > 0 != c.fold || saved["epilogue"] > 0 != c.fused || algebra && c.option == "" {
			t.Errorf("%q with %x: saved %v", c.option, c.config, saved)
		}
	}
	if _, err := session.NewSession(graph.New(), &session.SessionOptions{Rewrite: "nonsense"}); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("nonsense: %v", err)
	}
}
