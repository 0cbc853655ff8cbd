package shape

import (
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// apply applies a rule to inputs by position and shows the outputs.
func apply(rule string, values map[int]*tensor.Tensor, inputs ...string) string {
	c := Context{Outputs: make([]Shape, 2)}
	for _, in := range inputs {
		c.Inputs = append(c.Inputs, parse(in))
	}
	c.Constant = func(i int) *tensor.Tensor { return values[i] }
	if err := Rule(rule)(&c); err != nil {
		return status.From(err).Message
	}
	return c.Outputs[0].String() + " " + c.Outputs[1].String()
}

func TestRule(t *testing.T) {
	number := func(n int32) map[int]*tensor.Tensor {
		v, err := tensor.FromSlice([]int32{n})
		if err != nil {
			v, _ = tensor.FromSlice([]int32{n}, 1)
		}
		return map[int]*tensor.Tensor{1: v}
	}
	vector := func(n ...int32) map[int]*tensor.Tensor {
		v, err := tensor.FromSlice(n, int64(len(n)))
		if err != nil {
			t.Fatal(err)
		}
		return map[int]*tensor.Tensor{1: v}
	}
	const matmul = "a: [m,k], b: [k,n] -> product: [m,n]"
	const solve = "matrix: [B...,m,m], rhs: [B...,m,k] -> output: [B...,m,k], batch: B"
	for _, c := range []struct {
		rule   string
		values map[int]*tensor.Tensor
		inputs []string
		want   string
	}{
		{matmul, nil, []string{"[2,?]", "[3,4]"}, "[2,4] ?"},
		{matmul, nil, []string{"?", "[3,4]"}, "[?,4] ?"},
		{matmul, nil, []string{"[2,3]", "[4,5]"}, "Dimensions must be equal, but are 3 and 4 (k is dimension 1 of input 'a' and dimension 0 of input 'b')"},
		{matmul, nil, []string{"[2]", "[4,5]"}, "Shape must be rank 2 but is rank 1 (input 'a' is to be [m,k])"},
		{solve, nil, []string{"[3,3]", "[3,2]"}, "[3,2] []"},
		{solve, nil, []string{"[5,?,3]", "?"}, "[5,3,?] [5]"},
		{solve, nil, []string{"?", "?"}, "? ?"},
		{solve, nil, []string{"[3,3]", "[2,3,2]"}, "Shapes must be equal rank, but are 0 and 1 (B is of input 'matrix' and of input 'rhs')"},
		{solve, nil, []string{"[3]", "?"}, "Shape must be at least rank 2 but is rank 1 (input 'matrix' is to be [B...,m,m])"},
		{"x: [?,R...], y: S -> z: [R...,S...,7,2*3]", nil, []string{"[1,2,3]", "[4]"}, "[2,3,4,7,6] ?"},
		{"x: [n], y: [4*n] -> z: [2*n]", nil, []string{"[3]", "[12]"}, "[6] ?"},
		{"x: [n], y: [4*n] -> z: [2*n]", nil, []string{"[3]", "[13]"}, "Dimension must be 12 but is 13 (dimension 0 of input 'y')"},
		{"x: [...,3], y: ? ->", nil, []string{"[5,4]", "?"}, "Dimension must be 3 but is 4 (dimension 1 of input 'x')"},
		{"x: [n], k: [] = d -> z: [n,d]", number(7), []string{"[3]", "[]"}, "[3,7] ?"},
		{"x: [n], k: [] = n -> z: [n]", number(7), []string{"[3]", "[]"}, "Dimensions must be equal, but are 3 and 7 (n is dimension 0 of input 'x' and the value of input 'k')"},
		{"x: [b], size: [2] = [h,w] -> z: [w,h,b]", vector(5, -1), []string{"[3]", "[2]"}, "[?,5,3] ?"},
		{"x: [b], size: [2] = [h,w] -> z: [w,h,b]", nil, []string{"[3]", "?"}, "[?,?,3] ?"},
		{"x: X, dims: ? = S -> z: [S...,X...]", vector(5, 6), []string{"[3]", "[2]"}, "[5,6,3] ?"},
		{"x: X, dims: ? = S -> z: S", nil, []string{"[3]", "[2]"}, "[?,?] ?"},
	} {
		if got := apply(c.rule, c.values, c.inputs...); got != c.want {
			t.Errorf("%s with %v:\n got %s\nwant %s", c.rule, c.inputs, got, c.want)
		}
	}
}

// Arguments go by the definition's names, and lists have one pattern.
func TestRuleArguments(t *testing.T) {
	def := &registry.OpDef{
		Name: "Op",
		Inputs: []registry.ArgDef{
			{Name: "a", TypeAttr: "T"}, {Name: "list", TypeAttr: "T", NumberAttr: "N"}, {Name: "b", TypeAttr: "T"},
		},
		Outputs: []registry.ArgDef{{Name: "out", TypeAttr: "T"}},
	}
	c := Context{
		Op:      def,
		Attrs:   registry.Attrs{{Name: "N", Value: registry.IntAttr(2)}},
		Inputs:  []Shape{Of(1), Of(2, Unknown), Of(Unknown, 3), Of(2)},
		Outputs: make([]Shape, 1),
	}
	if err := Rule("list: [m,n], b: [m] -> out: [n,m]")(&c); err != nil {
		t.Fatal(err)
	}
	if got := c.Outputs[0].String(); got != "[3,2]" {
		t.Errorf("got %s", got)
	}
	if err := Rule("b: [m], list: [m,n] ->")(&c); status.CodeOf(err) != status.Internal {
		t.Errorf("arguments out of order: got %v", err)
	}
}

func TestRuleMistakes(t *testing.T) {
	for _, text := range []string{
		"", "a: [m]", "a: [m -> b: [m]", "a: [m,] ->", "a [m] ->", "a: m ->", "a: [S] ->", "a: [A...,B...] ->",
		"a: [m], -> ", "a: [m] -> b: *[m]", "a: [1*] ->", "a: [] = 3 ->", "a: [] -> b: [] = n", "a: [99999999999] ->", "-> -> b: ?",
	} {
		if _, err := parseRule(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func FuzzRule(f *testing.F) {
	f.Add("a: [m,k], b: [k,n] -> product: [m,n]", int64(2), int64(3))
	f.Add("a: [B...,m,4*m], b: *S = [h,...] -> c: [B...,S...,?]", int64(-1), int64(0))
	f.Add("x: ? = S, y: [] = n -> z: [S...,n,2*n]", int64(7), int64(1))
	f.Fuzz(func(t *testing.T, text string, x, y int64) {
		r, err := parseRule(text)
		if err != nil {
			return
		}
		x, y = max(x, Unknown), max(y, Unknown)
		for _, in := range [][]Shape{{{}, {}}, {Of(x), Of(y)}, {Of(x, y), Of(y, x)}, {Scalar, Of(x, y, x)}} {
			c := Context{Inputs: in, Outputs: make([]Shape, 2)}
			_ = r.infer(&c)
			for _, out := range c.Outputs {
				if out.Rank() > tensor.MaxRank {
					t.Fatalf("%q: an output of rank %d", text, out.Rank())
				}
			}
		}
	})
}
