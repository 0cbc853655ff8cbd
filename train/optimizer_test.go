package train_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// recorded is what conformance/tensorflow/optimizers.py wrote: four updates of a
// variable of shape [3, 2].
type recorded struct {
	First       []float32
	Dense, Rows []float32 // gradients of all updates, one behind the other
	Indices     []float64
	Updates     map[string][][]float64
}

// The same optimizers as in the script.
var optimizers = map[string]struct {
	train.Optimizer
	train.Options
}{
	"sgd":                {Optimizer: train.SGD{Rate: train.Fixed(0.1)}},
	"momentum":           {Optimizer: train.SGD{Rate: train.Fixed(0.1), Momentum: 0.9}},
	"nesterov":           {Optimizer: train.SGD{Rate: train.Fixed(0.1), Momentum: 0.9, Nesterov: true}},
	"adam":               {Optimizer: train.Adam{Rate: train.Fixed(0.1)}},
	"adagrad":            {Optimizer: train.Adagrad{Rate: train.Fixed(0.1), Epsilon: -1}},
	"adadelta":           {Optimizer: train.Adadelta{Rate: train.Fixed(0.5), Rho: 0.9, Epsilon: 1e-3}},
	"rmsprop":            {Optimizer: train.RMSProp{Rate: train.Fixed(0.1), Rho: 0.8, Momentum: 0.5, Epsilon: 1e-3, Initial: 1}},
	"rmsprop_centered":   {Optimizer: train.RMSProp{Rate: train.Fixed(0.1), Rho: 0.8, Momentum: 0.5, Epsilon: 1e-3, Initial: 1, Centered: true}},
	"ftrl":               {Optimizer: train.FTRL{Rate: train.Fixed(0.1), L1: 0.02, L2: 0.01, Shrinkage: 0.03}},
	"proximal_sgd":       {Optimizer: train.ProximalSGD{Rate: train.Fixed(0.1), L1: 0.3, L2: 0.2}},
	"proximal_adagrad":   {Optimizer: train.ProximalAdagrad{Rate: train.Fixed(0.1), L1: 0.3, L2: 0.2}},
	"amsgrad":            {Optimizer: train.Adam{Rate: train.Fixed(0.1), AMSGrad: true}},
	"adamw":              {Optimizer: train.AdamW{Adam: train.Adam{Rate: train.Fixed(0.1)}, Decay: 0.05}},
	"adamax":             {Optimizer: train.Adamax{Rate: train.Fixed(0.1), Beta1: 0.8, Beta2: 0.99}},
	"adam_by_value":      {Optimizer: train.Adam{Rate: train.Fixed(0.1)}, Options: train.Options{Clip: train.ClipByValue(0.5)}},
	"sgd_by_norm":        {Optimizer: train.SGD{Rate: train.Fixed(0.1)}, Options: train.Options{Clip: train.ClipByNorm(0.5)}},
	"sgd_by_global_norm": {Optimizer: train.SGD{Rate: train.Fixed(0.1)}, Options: train.Options{Clip: train.ClipByGlobalNorm(0.5)}},
	"sgd_accumulated":    {Optimizer: train.SGD{Rate: train.Fixed(0.1)}, Options: train.Options{Accumulate: 2}},
}

func readRecorded(t *testing.T) recorded {
	t.Helper()
	b, err := os.ReadFile("testdata/optimizers.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// A variable, resource or reference, is given dense gradients and rows of which some
// are for the same place; after each update it holds what it does in TensorFlow.
func TestOptimizers(t *testing.T) {
	r := readRecorded(t)
	for name, o := range optimizers {
		for _, reference := range []bool{false, true} {
			if name == "amsgrad" && reference {
				continue // TensorFlow has no such operation either
			}
			kind := map[bool]string{false: "", true: ", reference"}[reference]
			t.Run(name+kind, func(t *testing.T) {
				apply(t, r, o.Optimizer, o.Options, reference, false, r.Updates[name])
			})
			if want := r.Updates[name+"_sparse"]; want != nil {
				t.Run(name+", sparse"+kind, func(t *testing.T) {
					apply(t, r, o.Optimizer, o.Options, reference, true, want)
				})
			}
		}
	}
	for name := range r.Updates {
		if _, ok := optimizers[name]; !ok && len(name) < len("_sparse") {
			t.Errorf("%s is recorded and not compared", name)
		}
	}
}

// apply makes four updates by the recorded gradients.
func apply(t *testing.T, r recorded, o train.Optimizer, options train.Options, reference, sparse bool, want [][]float64) {
	t.Helper()
	if len(want) != 4 {
		t.Fatal("nothing is recorded")
	}
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	w := startAt(t, m, r.First, reference)
	g := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(3, 2)))
	at := op.Placeholder(s, tf.Int64, op.PlaceholderShape(tf.MakeShape(3)))
	var of tf.Output
	switch {
	case !sparse:
		of = w.Value
	case reference:
		of = op.GatherV2(s, w.Value, at, op.Const(s, int32(0)))
	default:
		of = op.ResourceGather(s, w.Handle, at, tf.Float)
	}
	loss := op.Sum(s, op.Mul(s, of, g), op.Const(s, []int32{0, 1}))
	goal := m.Minimize(loss, o, options)
	tr := start(t, m)
	var batches []train.Batch
	for i := range 4 {
		rows, indices := r.Dense, make([]int64, 3)
		if sparse {
			rows = r.Rows
			for k := range indices {
				indices[k] = int64(r.Indices[3*i+k])
			}
		}
		batch := train.Batch{g: matrix(t, rows[6*i:6*i+6])}
		if sparse {
			batch[at] = tensorOf(t, indices)
		}
		batches = append(batches, batch)
	}
	every := max(options.Accumulate, 1)
	n := 0
	for step, err := range tr.Steps(t.Context(), goal, slices.Values(batches)) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		got := read(t, tr, w)
		for k, x := range want[int(step.N)*every-1] {
			if math.Abs(float64(got[k])-x) > 4e-6*(1+math.Abs(x)) { // Keras takes powers of 0.999 in float
				t.Fatalf("update %d: element %d is %v, want %v (%v, %v)", step.N, k, got[k], x, got, want[step.N-1])
			}
		}
	}
	if n != 4/every {
		t.Errorf("%d updates", n)
	}
}

// startAt returns a variable of the model that begins with values.
func startAt(t *testing.T, m *train.Model, first []float32, reference bool) *train.Variable {
	t.Helper()
	if !reference {
		return m.Variable("w", train.Given(matrix(t, first)), tf.Float, 3, 2)
	}
	s := m.Scope()
	v := s.AddOperation(tf.OpSpec{Type: "VariableV2", Name: "w", Attrs: map[string]any{"dtype": tf.Float, "shape": tf.MakeShape(3, 2)}}).Output(0)
	s.AddOperation(tf.OpSpec{Type: "Assign", Name: "w/Assign", Input: []tf.Input{v, op.Const(s, matrix(t, first))}})
	return m.Adopt()[0]
}

// The methods that TensorFlow's Python has no optimizers for, against their formulas
// in float64.
func TestSigns(t *testing.T) {
	r := readRecorded(t)
	sign := func(x float64) float64 {
		if x > 0 {
			return 1
		}
		return -1
	}
	for name, test := range map[string]struct {
		o      train.Optimizer
		factor func(agree float64) float64
	}{
		"AddSign":   {train.AddSign{Rate: train.Fixed(0.1), Alpha: 2, Beta: 0.8, SignDecay: 0.5}, func(agree float64) float64 { return 2 + 0.5*agree }},
		"PowerSign": {train.PowerSign{Rate: train.Fixed(0.1), LogBase: 0.7, Beta: 0.8, SignDecay: 0.5}, func(agree float64) float64 { return math.Exp(0.7 * 0.5 * agree) }},
	} {
		t.Run(name, func(t *testing.T) {
			w, m := make([]float64, 6), make([]float64, 6)
			for k := range w {
				w[k] = float64(r.First[k])
			}
			var want [][]float64
			for i := range 4 {
				for k := range w {
					g := float64(r.Dense[6*i+k])
					m[k] = 0.8*m[k] + 0.2*g
					w[k] -= 0.1 * test.factor(sign(g)*sign(m[k])) * g
				}
				want = append(want, slices.Clone(w))
			}
			apply(t, r, test.o, train.Options{}, false, false, want)
		})
	}
}

// Double variables have a rate and powers that are not rounded to float.
func TestDouble(t *testing.T) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	w := m.Variable("w", train.Filled(3), tf.Double)
	goal := m.Minimize(op.Square(s, w.Value), train.Adam{Rate: train.Fixed(0.1)}, train.Options{})
	tr := start(t, m)
	x, mean, squares := 3.0, 0.0, 0.0
	for step, err := range tr.Steps(t.Context(), goal, nothing(20)) {
		if err != nil {
			t.Fatal(err)
		}
		g := 2 * x
		mean, squares = 0.9*mean+(1-0.9)*g, 0.999*squares+(1-0.999)*g*g
		n := float64(step.N)
		x -= 0.1 * math.Sqrt(1-math.Pow(0.999, n)) / (1 - math.Pow(0.9, n)) * mean / (math.Sqrt(squares) + 1e-7)
	}
	out, err := tr.Session().Run(nil, []tf.Output{w.Value}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := out[0].Value().(float64); math.Abs(got-x) > 1e-12 {
		t.Errorf("%v, want %v", got, x)
	}
}
