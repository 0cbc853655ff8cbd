package programs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// TestNetworks runs random convolutional networks: convolutions and depthwise ones with all
// kinds of paddings, strides and dilations, Pads in front of them, biases, factors, sums,
// activations and normalizations behind them, branches that are joined, and levels as of
// a U-Net, with constants or variables as weights. What is fetched must have the bits on all
// engines, with all passes and each of the default ones alone, that it has without rewriting.
func TestNetworks(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 200
		if testing.Short() {
			n = 60
		}
	}
	all, end := engines(t, "actors,actors/3,bands,tokens,messages", memoryLimit)
	defer end()
	plain, stop := engines(t, "sequential", memoryLimit)
	defer stop()
	made, fails := map[string]int{}, 0
	for seed := *first; seed < *first+n; seed++ {
		o := newNetwork(rand.New(rand.NewPCG(uint64(seed), 29)), seed%2 > 0)
		want, failed := o.run(plain[0], rewrite.Options{}, nil)
		if failed != nil {
			fails++
		}
		if errors.Is(failed, errUnclear) {
			t.Fatal(failed)
		}
		names := rewrite.Default().Names()
		for i, e := range all {
			passes := rewrite.Default()
			if i > 0 {
				passes = passes.Only([]string{"pads", "transposes", names[seed%len(names)]})
			}
			got, err := o.run(e, rewrite.Options{Passes: passes}, made)
			wrong := ""
			switch {
			case (err != nil) != (failed != nil):
				wrong = fmt.Sprintf("error %v, want %v", err, failed)
			case err == nil && !slices.EqualFunc(got, want, sameFloatBits):
				wrong = fmt.Sprintf("values %v, want %v", got, want)
			}
			if wrong != "" {
				t.Fatalf("seed %d on %s with %s: %.2000s\n%s", seed, e.label, passes, wrong, notation.Format(o.g, notation.Options{}))
			}
		}
	}
	if fails > n/2 {
		t.Errorf("%d of %d networks fail", fails, n)
	}
	for _, op := range []string{"_FusedConv2D", "_FusedDepthwiseConv2dNative", "explicit paddings", "fused LeakyRelu", "ConcatV2", "FusedBatchNormV3", "Mean", "ResizeBilinear", "ReadVariableOp", "Conv2DBackpropInput", "Conv2DBackpropFilter"} {
		if made[op] < max(1, n/60) {
			t.Errorf("only %d of %s in %d networks", made[op], op, n)
		}
	}
}

func sameFloatBits(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// A network is a graph of convolutions, as an image moves through it.
type network struct {
	g       *graph.Graph
	rng     *rand.Rand
	image   graph.Output
	fed     *tensor.Tensor
	fetches []graph.Output

	wide      bool
	held      bool // weights are held by variables
	weighs    []graph.Output
	targets   []*graph.Node // change them
	init      []*graph.Node // set them
	resources *resource.Manager
}

// newNetwork draws a network; a wide one also has what [network.further] draws.
func newNetwork(rng *rand.Rand, wide bool) *network {
	o := &network{g: graph.New(), rng: rng, wide: wide, held: rng.IntN(4) == 0}
	channels := []int64{1, 3, 4, 8, 13, 16, 24, 33}
	dims := []int64{1 + rng.Int64N(2), 1 + rng.Int64N(20), 1 + rng.Int64N(40), channels[rng.IntN(len(channels))]}
	o.fed = o.numbers(dims, 8)
	o.image = o.add("Placeholder", map[string]any{"dtype": tensor.Float}).Output(0)
	x, depth := o.image, dims[3]
	if rng.IntN(8) == 0 { // on a branch, which may be dead
		taken, _ := tensor.NewTensor(rng.IntN(4) > 0)
		x = o.add("Switch", nil, x, o.constant(taken)).Output(1)
	}
	if rng.IntN(4) == 0 {
		x = o.loop(x)
	}
	values, between := []graph.Output{x}, graph.Output{}
	for range 2 + rng.IntN(8) {
		if wide && rng.IntN(2) == 0 {
			x, depth = o.further(x, depth)
			values = append(values, x)
			continue
		}
		switch rng.IntN(16) {
		case 10:
			x = o.batchNorm(x, depth)
		case 11:
			x = o.layerNorm(x, depth)
		case 12:
			x, depth = o.branches(x, depth)
		case 13:
			x, depth = o.levels(x, depth, 1+rng.IntN(2))
		case 14:
			x, depth, between = o.transposed(x, depth)
		case 15:
			x, depth = o.surrounded(x, depth)
			between = x
		case 0, 1:
			paddings := make([]int32, 8)
			for i := 2; i < 6; i++ {
				paddings[i] = rng.Int32N(3)
			}
			if rng.IntN(6) == 0 {
				paddings[7] = 1
				depth++
			}
			p, _ := tensor.FromSlice(paddings, 4, 2)
			in := []graph.Output{x, o.constant(p)}
			op := "Pad"
			if rng.IntN(4) == 0 {
				op = "PadV2"
				fill, _ := tensor.NewTensor(float32(rng.IntN(8) / 7))
				in = append(in, o.constant(fill))
			}
			x = o.add(op, nil, in...).Output(0)
		case 2:
			more := channels[rng.IntN(len(channels))]
			if n, err := o.attempt("Conv2D", o.window(false), x, o.weights(1+rng.Int64N(4), 1+rng.Int64N(4), depth, more)); err == nil {
				x, depth = n.Output(0), more
			}
		case 3, 4, 5:
			per := 1 + rng.Int64N(8)/7
			if n, err := o.attempt("DepthwiseConv2dNative", o.window(true), x, o.weights(1+rng.Int64N(5), 1+rng.Int64N(5), depth, per)); err == nil {
				x, depth = n.Output(0), depth*per
			}
		case 6:
			row := o.weights(depth)
			x = o.add([]string{"BiasAdd", "BiasAdd", "AddV2", "Mul"}[rng.IntN(4)], nil, x, row).Output(0)
		case 7:
			x = o.add([]string{"Relu", "Relu6", "Relu", "Tanh", "LeakyRelu"}[rng.IntN(5)], nil, x).Output(0)
		case 8: // a value of the same shape, whether or not it is known
			x = o.add("AddV2", nil, x, o.add("Abs", nil, x).Output(0)).Output(0)
		case 9: // a residual block
			y := o.add("Conv2D", map[string]any{"strides": []int64{1, 1, 1, 1}, "padding": "SAME"}, x, o.weights(1+rng.Int64N(3), 1+rng.Int64N(3), depth, depth)).Output(0)
			x = o.add("Relu", nil, o.add("AddV2", nil, x, y).Output(0)).Output(0)
		}
		values = append(values, x)
	}
	o.fetches = []graph.Output{x}
	if rng.IntN(4) == 0 {
		o.fetches = append(o.fetches, values[rng.IntN(len(values))])
	}
	if between.Op != nil && rng.IntN(2) == 0 {
		o.fetches = append(o.fetches, between)
	}
	if wide && rng.IntN(3) == 0 {
		o.differentiate(x)
	}
	return o
}

// loop halves the image in a loop of Enter and Exit nodes: what is behind it runs once all
// the same.
func (o *network) loop(x graph.Output) graph.Output {
	frame := map[string]any{"frame_name": o.g.UniqueName("halve")}
	still := map[string]any{"frame_name": frame["frame_name"], "is_constant": true}
	number := func(n int32) graph.Output {
		v, _ := tensor.NewTensor(n)
		return o.constant(v)
	}
	half, _ := tensor.NewTensor(float32(0.5))
	enter := func(attrs map[string]any, v graph.Output) graph.Output { return o.add("Enter", attrs, v).Output(0) }
	merge := func(v graph.Output) *graph.Node {
		n, err := o.g.AddOperation(graph.OpSpec{Type: "Merge", Name: o.g.UniqueName("Merge"), Input: []graph.Input{graph.OutputList{v, v}}})
		if err != nil {
			panic(err)
		}
		return n
	}
	image, count := merge(enter(frame, x)), merge(enter(frame, number(0)))
	less := o.add("Less", nil, count.Output(0), enter(still, number(o.rng.Int32N(3)))).Output(0)
	again := o.add("LoopCond", nil, less).Output(0)
	images, counts := o.add("Switch", nil, image.Output(0), again), o.add("Switch", nil, count.Output(0), again)
	next := func(to *graph.Node, v graph.Output) {
		if err := o.g.SetBackEdge(to, 1, o.add("NextIteration", nil, v).Output(0)); err != nil {
			panic(err)
		}
	}
	next(image, o.add("Mul", nil, images.Output(1), enter(still, o.constant(half))).Output(0))
	next(count, o.add("AddV2", nil, counts.Output(1), enter(still, number(1))).Output(0))
	return o.add("Exit", nil, images.Output(0)).Output(0)
}

// window draws the attributes of a convolution.
func (o *network) window(square bool) map[string]any {
	along := func(k int64) (int64, int64) {
		a, b := 1+o.rng.Int64N(k*2)%k, 1+o.rng.Int64N(k)
		if square {
			b = a
		}
		return a, b
	}
	attrs := map[string]any{"padding": []string{"SAME", "VALID", "VALID", "EXPLICIT"}[o.rng.IntN(4)]}
	h, w := along(2)
	attrs["strides"] = []int64{1, h, w, 1}
	if o.rng.IntN(4) == 0 {
		h, w = along(3)
		attrs["dilations"] = []int64{1, h, w, 1}
	}
	if attrs["padding"] == "EXPLICIT" {
		attrs["explicit_paddings"] = []int64{0, 0, o.rng.Int64N(3), o.rng.Int64N(3), o.rng.Int64N(3), o.rng.Int64N(3), 0, 0}
	}
	return attrs
}

// numbers draws floats, one in so many of which is a zero of either sign, rarely an infinity.
func (o *network) numbers(dims []int64, special int) *tensor.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	infinite := o.rng.IntN(12) == 0
	for i := range x {
		x[i] = float32(o.rng.NormFloat64())
		switch {
		case o.rng.IntN(special) > 0:
		case infinite && o.rng.IntN(4) == 0:
			x[i] = float32(math.Inf(1))
		case o.rng.IntN(2) == 0:
			x[i] = 0
		default:
			x[i] = float32(math.Copysign(0, -1))
		}
	}
	t, err := tensor.FromSlice(x, dims...)
	if err != nil {
		panic(err)
	}
	return t
}

func (o *network) constant(t *tensor.Tensor) graph.Output {
	return o.add("Const", map[string]any{"value": t, "dtype": t.DType()}).Output(0)
}

func (o *network) add(op string, attrs map[string]any, in ...graph.Output) *graph.Node {
	n, err := o.attempt(op, attrs, in...)
	if err != nil {
		panic(err)
	}
	return n
}

// attempt is add for what may not fit to an image of a known size.
func (o *network) attempt(op string, attrs map[string]any, in ...graph.Output) (*graph.Node, error) {
	spec := graph.OpSpec{Type: op, Name: o.g.UniqueName(op), Attrs: attrs}
	for _, x := range in {
		spec.Input = append(spec.Input, x)
	}
	return o.g.AddOperation(spec)
}

// TestNetworksAgain runs each network several times, with images of several sizes in turn, in
// tiles wherever it can: what is planned for the first is not what holds for the next, and memory
// of the first is the next one's.
func TestNetworksAgain(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 100
		if testing.Short() {
			n = 30
		}
	}
	all, end := engines(t, "bands,actors", memoryLimit)
	defer end()
	plain, stop := engines(t, "sequential", memoryLimit)
	defer stop()
	for seed := *first; seed < *first+n; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 30))
		o := newNetwork(rng, seed%2 > 0)
		images := []*tensor.Tensor{o.fed}
		for range 2 {
			dims := o.fed.Dims()
			images = append(images, o.numbers([]int64{1 + rng.Int64N(2), 1 + rng.Int64N(30), 1 + rng.Int64N(30), dims[3]}, 8))
		}
		type answer struct {
			values []float32
			failed bool
		}
		var want []answer
		for _, image := range images {
			o.fed = image
			values, err := o.run(plain[0], rewrite.Options{}, nil)
			if errors.Is(err, errUnclear) {
				t.Fatal(err)
			}
			want = append(want, answer{values, err != nil})
		}
		for _, e := range all {
			p, err := o.compile(rewrite.Options{Passes: rewrite.Default()})
			if err != nil {
				t.Fatal(err)
			}
			for again := range 8 {
				i := rng.IntN(len(images))
				o.fed = images[i]
				got, err := o.play(e, p)
				if (err != nil) != want[i].failed || err == nil && !slices.EqualFunc(got, want[i].values, sameFloatBits) {
					t.Fatalf("seed %d on %s, run %d, with image %d: %.300s, %.1000s, want %.1000s\n%s", seed, e.label, again, i, fmt.Sprint(err), fmt.Sprint(got), fmt.Sprint(want[i].values), notation.Format(o.g, notation.Options{}))
				}
			}
		}
	}
}

func (o *network) compile(how rewrite.Options) (*nodes.Program, error) {
	return compile.Graph(context.Background(), o.g, compile.Spec{Feeds: []graph.Output{o.image}, Fetches: o.fetches, Targets: o.targets, Rewrite: how})
}

// run returns what is fetched, and counts the nodes.
func (o *network) run(e *engine, how rewrite.Options, made map[string]int) (got []float32, err error) {
	p, err := o.compile(how)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errUnclear, err)
	}
	for _, n := range p.Nodes() {
		if made != nil && n != nil {
			made[n.Type()]++
			if n.Type() == "_FusedDepthwiseConv2dNative" && n.Attrs().Find("_explicit_paddings") != nil {
				made["explicit paddings"]++
			}
			if v := n.Attrs().Find("fused_ops"); v != nil && slices.ContainsFunc(v.List, func(a registry.AttrValue) bool { return a.S == "LeakyRelu" }) {
				made["fused LeakyRelu"]++
			}
		}
	}
	return o.play(e, p)
}

// play runs the program once.
func (o *network) play(e *engine, p *nodes.Program) (got []float32, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fetched := make([]tensor.Value, len(o.fetches))
	if o.resources == nil {
		if err := o.initialize(ctx, e); err != nil {
			return nil, fmt.Errorf("%w: %v", errUnclear, err)
		}
	}
	s := &kernel.Step{Context: ctx, Resources: o.resources, PerStep: &resource.Manager{Budget: e.budget}, Pool: e.pool}
	if err := e.Run(s, p, []tensor.Value{tensor.ValueOf(o.fed)}, fetched); err != nil {
		o.resources = nil // variables may be changed and not yet what they were
		return nil, err
	}
	for i := range fetched {
		got = append(got, tensor.Of[float32](&fetched[i])...)
	}
	return got, nil
}
