package gradients_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/graph/prototext"
	"github.com/troupe-go/troupe/status"
)

// custom is calls of f, which squares and has g for a gradient: ten times its
// argument, which no derivative is. rec calls itself.
const custom = `
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_DOUBLE } } attr { key: "shape" value { shape {} } } }
node { name: "named" op: "f" input: "x" }
node { name: "call" op: "PartitionedCall" input: "x" attr { key: "f" value { func { name: "f" } } }
	attr { key: "Tin" value { list { type: DT_DOUBLE } } } attr { key: "Tout" value { list { type: DT_DOUBLE } } } }
node { name: "outer" op: "PartitionedCall" input: "x" attr { key: "f" value { func { name: "h" } } }
	attr { key: "Tin" value { list { type: DT_DOUBLE } } } attr { key: "Tout" value { list { type: DT_DOUBLE } } } }
node { name: "own" op: "Square" input: "x" attr { key: "T" value { type: DT_DOUBLE } }
	attr { key: "_gradient_op_type" value { s: "CustomGradientOfTest" } } }
node { name: "rec" op: "r" input: "x" }
library {
	function {
		signature { name: "f" input_arg { name: "a" type: DT_DOUBLE } output_arg { name: "b" type: DT_DOUBLE } }
		node_def { name: "s" op: "Square" input: "a" attr { key: "T" value { type: DT_DOUBLE } } }
		ret { key: "b" value: "s:y:0" }
	}
	function {
		signature { name: "g" input_arg { name: "a" type: DT_DOUBLE } input_arg { name: "db" type: DT_DOUBLE } output_arg { name: "da" type: DT_DOUBLE } }
		node_def { name: "ten" op: "Const" attr { key: "dtype" value { type: DT_DOUBLE } } attr { key: "value" value { tensor { dtype: DT_DOUBLE tensor_shape {} double_val: 10 } } } }
		node_def { name: "m" op: "Mul" input: "a" input: "ten:output:0" attr { key: "T" value { type: DT_DOUBLE } } }
		node_def { name: "n" op: "Mul" input: "m:z:0" input: "db" attr { key: "T" value { type: DT_DOUBLE } } }
		ret { key: "da" value: "n:z:0" }
	}
	function {
		signature { name: "h" input_arg { name: "a" type: DT_DOUBLE } output_arg { name: "b" type: DT_DOUBLE } }
		node_def { name: "c" op: "f" input: "a" }
		node_def { name: "s" op: "Sin" input: "c:b:0" attr { key: "T" value { type: DT_DOUBLE } } }
		ret { key: "b" value: "s:y:0" }
	}
	function {
		signature { name: "r" input_arg { name: "a" type: DT_DOUBLE } output_arg { name: "b" type: DT_DOUBLE } }
		node_def { name: "c" op: "r" input: "a" }
		ret { key: "b" value: "c:b:0" }
	}
	gradient { function_name: "f" gradient_func: "g" }
}`

func init() {
	gradient.Register(func(c *gradient.Context) { c.Set(0, c.Mul(c.Dy(0), c.Scalar(c.Input(0), 7))) }, "CustomGradientOfTest")
}

// Gradients that programs give to functions and nodes come before derivatives, also
// within functions, and each call on a graph adds a backward graph of its own.
func TestCustom(t *testing.T) {
	def, err := prototext.Parse([]byte(custom))
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	const x = 0.6
	for _, c := range []struct {
		y           string
		first, then float64
	}{
		{"named", 10 * x, 10},
		{"call", 10 * x, 10},
		{"outer", math.Cos(x*x) * 10 * x, -math.Sin(x*x)*100*x*x + math.Cos(x*x)*10},
		{"own", 7, 0},
	} {
		in := outputs(t, g, "x")
		first, err := gradients.Dense(g, outputs(t, g, c.y), in, gradients.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.y, err)
			continue
		}
		then, err := gradients.Dense(g, first, in, gradients.Options{})
		if err != nil {
			t.Errorf("%s, again: %v", c.y, err)
			continue
		}
		for _, engine := range engines {
			got := run(t, engine, g, in, []float64{x}, []graph.Output{first[0], then[0]})
			if math.Abs(got[0]-c.first) > 1e-12 || math.Abs(got[1]-c.then) > 1e-12 {
				t.Errorf("%s on %s: %v, want %v and %v", c.y, engine, got, c.first, c.then)
			}
		}
	}
	_, err = gradients.Dense(g, outputs(t, g, "rec"), outputs(t, g, "x"), gradients.Options{})
	if status.CodeOf(err) != status.NotFound {
		t.Errorf("of a function that calls itself: %v", err)
	}
}
