package programs_test

import (
	"context"
	"fmt"
	"math"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	_ "github.com/troupe-go/troupe/ops/image"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// weights draws a constant, or the value of a variable.
func (o *network) weights(dims ...int64) graph.Output {
	w := o.weight(dims)
	o.weighs = append(o.weighs, w)
	return w
}

func (o *network) weight(dims []int64) graph.Output {
	t := o.numbers(dims, 50)
	if !o.held {
		return o.constant(t)
	}
	h := o.add("VarHandleOp", map[string]any{"dtype": tensor.Float, "shape": graph.MakeShape(dims...), "shared_name": fmt.Sprintf("v%d", len(o.init))}).Output(0)
	o.init = append(o.init, o.add("AssignVariableOp", nil, h, o.constant(t)))
	read := o.add("ReadVariableOp", map[string]any{"dtype": tensor.Float}, h)
	if o.wide && o.rng.IntN(3) == 0 { // the variable has changed before what was read is used, and is as it was in the end
		change := o.after(read, "AssignAddVariableOp", h, o.constant(o.numbers(dims, 50)))
		o.targets = append(o.targets, o.after(change, "AssignVariableOp", h, o.constant(t)))
	}
	return read.Output(0)
}

// differentiate fetches the gradients of the image and of some weights: of a sum of what comes out,
// weighted by its place.
func (o *network) differentiate(y graph.Output) {
	xs := []graph.Output{o.image}
	for _, w := range o.weighs {
		if o.rng.IntN(2) == 0 {
			xs = append(xs, w)
		}
	}
	dy := o.add("Sin", nil, y).Output(0)
	all, err := gradients.Dense(o.g, []graph.Output{y}, xs, gradients.Options{GradYs: []graph.Output{dy}})
	if err != nil {
		return // as of a ResizeNearestNeighbor within a loop
	}
	for _, dx := range all {
		if dx.Op != nil {
			o.fetches = append(o.fetches, dx)
		}
	}
}

// kept draws an image that a variable holds while it is used, and what changes the variable then.
func (o *network) kept(x graph.Output) graph.Output {
	h := o.add("VarHandleOp", map[string]any{"dtype": tensor.Float, "shape": graph.MakeShape(-1, -1, -1, -1), "shared_name": fmt.Sprint("image", len(o.targets))}).Output(0)
	read := o.after(o.add("AssignVariableOp", nil, h, x), "ReadVariableOp", h)
	change := o.after(read, "AssignAddVariableOp", h, o.add("Relu", nil, x).Output(0))
	o.targets = append(o.targets, change)
	if o.rng.IntN(2) == 0 {
		return read.Output(0)
	}
	return o.add("Sub", nil, o.after(change, "ReadVariableOp", h).Output(0), read.Output(0)).Output(0)
}

// after adds a node of one variable that runs after another.
func (o *network) after(n *graph.Node, op string, in ...graph.Output) *graph.Node {
	spec := graph.OpSpec{Type: op, Name: o.g.UniqueName(op), ControlDependencies: []*graph.Node{n}, Attrs: map[string]any{"dtype": tensor.Float}}
	for _, x := range in {
		spec.Input = append(spec.Input, x)
	}
	n, err := o.g.AddOperation(spec)
	if err != nil {
		panic(err)
	}
	return n
}

// initialize sets the variables.
func (o *network) initialize(ctx context.Context, e *engine) error {
	o.resources = &resource.Manager{}
	if len(o.init) == 0 {
		return nil
	}
	p, err := compile.Graph(ctx, o.g, compile.Spec{Targets: o.init, Rewrite: rewrite.Options{}})
	if err != nil {
		return err
	}
	s := &kernel.Step{Context: ctx, Resources: o.resources, PerStep: &resource.Manager{Budget: e.budget}, Pool: e.pool}
	return e.Run(s, p, nil, nil)
}

// batchNorm draws a normalization by moments that are known.
func (o *network) batchNorm(x graph.Output, depth int64) graph.Output {
	squares := o.numbers([]int64{depth}, 50)
	v := tensor.ValueOf(squares)
	for i, x := range tensor.Of[float32](&v) {
		tensor.Of[float32](&v)[i] = x * x
	}
	return o.add("FusedBatchNormV3", map[string]any{"is_training": false}, x, o.weights(depth), o.weights(depth), o.weights(depth), o.constant(squares)).Output(0)
}

// layerNorm draws a normalization of the channels of each place, as Keras writes it.
func (o *network) layerNorm(x graph.Output, depth int64) graph.Output {
	last := o.integers(-1)
	keep := map[string]any{"keep_dims": true}
	mean := o.add("Mean", keep, x, last).Output(0)
	squares := o.add("SquaredDifference", nil, x, mean).Output(0)
	variance := o.add("Mean", keep, squares, last).Output(0)
	epsilon, _ := tensor.NewTensor(float32(1e-3))
	factor := o.add("Rsqrt", nil, o.add("AddV2", nil, variance, o.constant(epsilon)).Output(0)).Output(0)
	if o.rng.IntN(4) > 0 {
		factor = o.add("Mul", nil, factor, o.weights(depth)).Output(0)
	}
	offset := o.add("Sub", nil, o.weights(depth), o.add("Mul", nil, mean, factor).Output(0)).Output(0)
	return o.add("AddV2", nil, o.add("Mul", nil, x, factor).Output(0), offset).Output(0)
}

// branches draws convolutions of one image whose results are joined, and perhaps a part of
// the channels taken out of that.
func (o *network) branches(x graph.Output, depth int64) (graph.Output, int64) {
	var parts []graph.Output
	all := int64(0)
	for range 2 + o.rng.IntN(3) {
		if o.rng.IntN(4) == 0 {
			parts, all = append(parts, x), all+depth
			continue
		}
		more := 1 + o.rng.Int64N(20)
		y := o.same(x, depth, more)
		if o.rng.IntN(2) == 0 {
			y = o.add("Relu", nil, y).Output(0)
		}
		parts, all = append(parts, y), all+more
	}
	y := o.joined(parts...)
	if o.rng.IntN(3) == 0 {
		first := o.rng.Int64N(all)
		n := 1 + o.rng.Int64N(all-first)
		y = o.add("Slice", nil, y, o.integers(0, 0, 0, int32(first)), o.integers(-1, -1, -1, int32(n))).Output(0)
		all = n
	}
	return y, all
}

// surrounded draws a convolution of an image with zeros around it, of numbers so small that
// products vanish, and what is added to it, which may be -0.
func (o *network) surrounded(x graph.Output, depth int64) (graph.Output, int64) {
	around := make([]int32, 8)
	for i := 2; i < 6; i++ {
		around[i] = o.rng.Int32N(3)
	}
	p, _ := tensor.FromSlice(around, 4, 2)
	x = o.add("Conv2D", map[string]any{"strides": []int64{1, 1, 1, 1}, "padding": "SAME"}, x, o.weights(1, 1, depth, depth)).Output(0)
	if o.rng.IntN(2) == 0 {
		tiny, _ := tensor.NewTensor(float32(1e-45))
		x = o.add("Mul", nil, x, o.constant(tiny)).Output(0)
	}
	x = o.add("Pad", nil, x, o.constant(p)).Output(0)
	more := 1 + o.rng.Int64N(20)
	attrs := o.window(false)
	attrs["padding"] = "VALID"
	delete(attrs, "explicit_paddings")
	op, filter := "Conv2D", []int64{1 + o.rng.Int64N(3), 1 + o.rng.Int64N(3), depth, more}
	if o.rng.IntN(3) == 0 {
		more = depth
		op, filter[3] = "DepthwiseConv2dNative", 1
	}
	n, err := o.attempt(op, attrs, x, o.weights(filter...))
	if err != nil {
		return x, depth
	}
	zeros := make([]float32, more)
	if o.rng.IntN(2) == 0 {
		for i := range zeros {
			zeros[i] = float32(math.Copysign(0, -1))
		}
	}
	bias, _ := tensor.FromSlice(zeros, more)
	y := n.Output(0)
	if op == "Conv2D" || o.rng.IntN(2) == 0 {
		y = o.add([]string{"BiasAdd", "AddV2"}[o.rng.IntN(2)], nil, y, o.constant(bias)).Output(0)
	}
	if o.rng.IntN(2) == 0 {
		y = o.add("LeakyRelu", map[string]any{"alpha": o.rng.Float32()}, y).Output(0)
	}
	return y, more
}

// transposed draws what stands between two transpositions: operations on an image whose
// dimensions are in another order. It returns a value of those between, too.
func (o *network) transposed(x graph.Output, depth int64) (_ graph.Output, _ int64, between graph.Output) {
	order, back, channels := o.rng.Perm(4), make([]int32, 4), 0
	if o.rng.IntN(2) == 0 {
		order = []int{0, 3, 1, 2}
	}
	perm := make([]int32, 4)
	for i, at := range order {
		perm[i], back[at] = int32(at), int32(i)
		if at == 3 {
			channels = i
		}
	}
	if o.rng.IntN(3) > 0 {
		x = o.same(x, depth, depth)
	}
	if o.rng.IntN(4) == 0 { // height is width then
		back[1], back[2] = back[2], back[1]
	}
	x = o.add("Transpose", nil, x, o.integers(perm...)).Output(0)
	y := x
	for range 1 + o.rng.IntN(5) {
		switch o.rng.IntN(6) {
		case 0:
			y = o.add([]string{"Relu", "LeakyRelu", "Neg", "Tanh"}[o.rng.IntN(4)], nil, y).Output(0)
		case 1:
			paddings := make([]int32, 8)
			for i, at := range order {
				if at == 1 || at == 2 {
					paddings[2*i], paddings[2*i+1] = o.rng.Int32N(3), o.rng.Int32N(3)
				}
			}
			p, _ := tensor.FromSlice(paddings, 4, 2)
			y = o.add("Pad", nil, y, o.constant(p)).Output(0)
		case 2:
			dims := []int64{1, 1, 1, 1}
			dims[channels] = depth
			row := o.constant(o.numbers(dims[o.rng.IntN(channels+1):], 50))
			y = o.add([]string{"AddV2", "Mul", "Maximum"}[o.rng.IntN(3)], nil, y, row).Output(0)
		case 3:
			if depth > 40 {
				continue
			}
			axis, _ := tensor.NewTensor(int32(channels - 4*o.rng.IntN(2)))
			other := o.add("Relu", nil, y).Output(0)
			if o.rng.IntN(8) == 0 {
				other = x // does not fit behind a Pad
			}
			n, err := o.g.AddOperation(graph.OpSpec{Type: "ConcatV2", Name: o.g.UniqueName("ConcatV2"), Input: []graph.Input{graph.OutputList{y, other}, o.constant(axis)}})
			if err != nil {
				continue
			}
			y = n.Output(0)
			depth *= 2
			x = y
		case 4:
			y = o.add("AddV2", nil, y, o.add("Abs", nil, y).Output(0)).Output(0)
		case 5:
			between = y
		}
	}
	return o.add("Transpose", nil, y, o.integers(back...)).Output(0), depth, between
}

// same draws a convolution whose result is as large as the image.
func (o *network) same(x graph.Output, depth, more int64) graph.Output {
	return o.add("Conv2D", map[string]any{"strides": []int64{1, 1, 1, 1}, "padding": "SAME"}, x, o.weights(1+o.rng.Int64N(3), 1+o.rng.Int64N(3), depth, more)).Output(0)
}

// joined joins images by their channels.
func (o *network) joined(parts ...graph.Output) graph.Output {
	spec := graph.OpSpec{Type: "ConcatV2", Name: o.g.UniqueName("ConcatV2")}
	list := graph.OutputList(parts)
	axis, _ := tensor.NewTensor(int32(3 - 4*o.rng.IntN(2)))
	spec.Input = []graph.Input{list, o.constant(axis)}
	n, err := o.g.AddOperation(spec)
	if err != nil {
		panic(err)
	}
	return n.Output(0)
}

// levels draws a U-Net: an image of a known size is made smaller, something is computed of that,
// at the end of a level in the same way, and it is made larger again and joined with or added
// to what the level began with.
func (o *network) levels(x graph.Output, depth int64, deep int) (graph.Output, int64) {
	high, wide := 1+o.rng.Int32N(24), 1+o.rng.Int32N(24)
	size := o.integers(high, wide)
	resize := map[string]any{"half_pixel_centers": o.rng.IntN(2) == 0}
	x = o.add("ResizeBilinear", resize, x, size).Output(0)
	wider := 1 + o.rng.Int64N(16)
	first := o.add("Relu", nil, o.same(x, depth, wider)).Output(0)
	small := o.add([]string{"MaxPool", "AvgPool"}[o.rng.IntN(2)], map[string]any{
		"ksize": []int64{1, 2, 2, 1}, "strides": []int64{1, 2, 2, 1}, "padding": "SAME"}, first).Output(0)
	if o.rng.IntN(3) == 0 {
		small = o.add("Conv2D", map[string]any{"strides": []int64{1, 2, 2, 1}, "padding": "SAME"}, first, o.weights(3, 3, wider, wider)).Output(0)
	}
	more := 1 + o.rng.Int64N(16)
	small = o.same(small, wider, more)
	if deep > 1 {
		small, more = o.levels(small, more, deep-1)
	}
	if o.rng.IntN(3) == 0 {
		small = o.batchNorm(small, more)
	}
	large := o.add("ResizeBilinear", resize, small, size).Output(0)
	if o.rng.IntN(3) == 0 {
		return o.add("AddV2", nil, first, o.same(large, more, wider)).Output(0), wider
	}
	return o.joined(first, large), wider + more
}

// further draws what mobile networks and detectors have besides: pooling by windows of all kinds,
// convolutions in groups, channels that are weighted by what a pooled image says, activations as
// they are written out, parts and neighbours of an image.
func (o *network) further(x graph.Output, depth int64) (graph.Output, int64) {
	number := func(v float32) graph.Output {
		t, _ := tensor.NewTensor(v)
		return o.constant(t)
	}
	switch rng := o.rng; rng.IntN(14) {
	case 0:
		n, err := o.attempt([]string{"MaxPool", "AvgPool"}[rng.IntN(2)], map[string]any{
			"ksize": []int64{1, 1 + rng.Int64N(4), 1 + rng.Int64N(4), 1}, "strides": []int64{1, 1 + rng.Int64N(3), 1 + rng.Int64N(2), 1},
			"padding": []string{"SAME", "SAME", "VALID"}[rng.IntN(3)]}, x)
		if err == nil {
			x = n.Output(0)
		}
	case 1:
		groups := 1 + rng.Int64N(depth)
		for depth%groups != 0 {
			groups--
		}
		more := groups * (1 + rng.Int64N(1+24/groups))
		if n, err := o.attempt("Conv2D", o.window(false), x, o.weights(1+rng.Int64N(4), 1+rng.Int64N(4), depth/groups, more)); err == nil {
			x, depth = n.Output(0), more
		}
	case 2: // squeeze and excitation
		mean := o.add("Mean", map[string]any{"keep_dims": true}, x, o.integers(1, 2)).Output(0)
		between := 1 + rng.Int64N(8)
		y := o.add("Relu", nil, o.add("BiasAdd", nil, o.same(mean, depth, between), o.weights(between)).Output(0)).Output(0)
		y = o.add("Sigmoid", nil, o.add("BiasAdd", nil, o.same(y, between, depth), o.weights(depth)).Output(0)).Output(0)
		x = o.add("Mul", nil, x, y).Output(0)
	case 3: // hard swish
		y := o.add("Relu6", nil, o.add("AddV2", nil, x, number(3)).Output(0)).Output(0)
		x = o.add("Mul", nil, o.add("Mul", nil, x, y).Output(0), number(1./6)).Output(0)
	case 4: // lines and columns of an image
		high, wide := 1+rng.Int32N(12), 1+rng.Int32N(12)
		x = o.add("ResizeBilinear", nil, x, o.integers(high, wide)).Output(0)
		top, left := rng.Int32N(high), rng.Int32N(wide)
		size := o.integers(-1, []int32{-1, 1 + rng.Int32N(high-top)}[rng.IntN(2)], 1+rng.Int32N(wide-left), -1)
		x = o.add("Slice", nil, x, o.integers(0, top, left, 0), size).Output(0)
	case 5:
		x = o.add("StridedSlice", map[string]any{"begin_mask": int64(15), "end_mask": int64(15)}, x,
			o.integers(0, 0, 0, 0), o.integers(0, 0, 0, 0), o.integers(1, 1+rng.Int32N(2), []int32{1, 2, -1}[rng.IntN(3)], 1)).Output(0)
	case 6: // twice as large, of any size
		shape := o.add("Shape", nil, x).Output(0)
		size := o.add("StridedSlice", nil, shape, o.integers(1), o.integers(3), o.integers(1)).Output(0)
		double := o.add("Mul", nil, size, o.integers(2, 2)).Output(0)
		small := o.add("ResizeBilinear", nil, x, o.integers(4, 5)).Output(0)
		double = o.add("Minimum", nil, double, o.integers(24, 24)).Output(0)
		x = o.add([]string{"ResizeNearestNeighbor", "ResizeBilinear"}[rng.IntN(2)], map[string]any{"half_pixel_centers": rng.IntN(2) == 0}, small, double).Output(0)
	case 7:
		if y := 1 + rng.Int64N(6); depth <= 40 {
			x, depth = o.add("DepthToSpace", map[string]any{"block_size": int64(2)}, o.same(x, depth, 4*y)).Output(0), y
		}
	case 8:
		x = o.kept(x)
	case 10, 11:
		x, depth = o.channelsFirst(x, depth)
	case 12: // as in training
		none := o.constant(o.numbers([]int64{0}, 50))
		x = o.add("FusedBatchNormV3", nil, x, o.weights(depth), o.weights(depth), none, none).Output(0)
	case 9: // a sum of several
		y := o.add("Relu", nil, x).Output(0)
		n, err := o.g.AddOperation(graph.OpSpec{Type: "AddN", Name: o.g.UniqueName("AddN"), Input: []graph.Input{graph.OutputList{x, y, o.same(x, depth, depth)}}})
		if err == nil {
			x = n.Output(0)
		}
	default:
		op := []string{"Maximum", "Minimum", "Sub", "SquaredDifference", "RealDiv"}[rng.IntN(5)]
		in := []graph.Output{x, o.weights(depth)}
		if rng.IntN(2) == 0 {
			in[1] = o.same(x, depth, depth)
		}
		if rng.IntN(3) == 0 {
			in[0], in[1] = in[1], in[0]
		}
		x = o.add(op, nil, in...).Output(0)
	}
	return x, depth
}

// channelsFirst draws a part of a network as it comes from a format whose channels are second:
// transpositions around each convolution and pooling, everything else on what is between.
func (o *network) channelsFirst(x graph.Output, depth int64) (graph.Output, int64) {
	rng := o.rng
	first := func(x graph.Output) graph.Output {
		return o.add("Transpose", nil, x, o.integers(0, 3, 1, 2)).Output(0)
	}
	last := func(x graph.Output) graph.Output {
		return o.add("Transpose", nil, x, o.integers(0, 2, 3, 1)).Output(0)
	}
	around := func() graph.Output { // of height and width
		p := make([]int32, 8)
		for i := 4; i < 8; i++ {
			p[i] = rng.Int32N(3)
		}
		t, _ := tensor.FromSlice(p, 4, 2)
		return o.constant(t)
	}
	row := func(depth int64) graph.Output {
		return o.constant(o.numbers([]int64{1, depth, 1, 1}[rng.IntN(2):], 50))
	}
	x = first(x)
	for range 2 + rng.IntN(6) {
		switch rng.IntN(16) {
		case 12: // kernels know that the channels come first
			attrs := map[string]any{"data_format": "NCHW", "strides": []int64{1, 1, 1 + rng.Int64N(2), 1}, "padding": []string{"SAME", "VALID"}[rng.IntN(2)]}
			op, more, filter := "Conv2D", 1+rng.Int64N(16), []int64{1 + rng.Int64N(3), 1 + rng.Int64N(3), depth, 0}
			if filter[3] = more; rng.IntN(3) == 0 {
				op, more, filter[3] = "DepthwiseConv2dNative", depth, 1
				attrs["strides"] = []int64{1, 1, 1, 1}
			}
			if n, err := o.attempt(op, attrs, x, o.weights(filter...)); err == nil {
				x, depth = n.Output(0), more
			}
		case 13:
			x = o.add("BiasAdd", map[string]any{"data_format": "NCHW"}, x, o.weights(depth)).Output(0)
		case 14:
			x = o.add([]string{"MaxPool", "AvgPool"}[rng.IntN(2)], map[string]any{"data_format": "NCHW",
				"ksize": []int64{1, 1, 2, 3}, "strides": []int64{1, 1, 1 + rng.Int64N(3), 1 + rng.Int64N(2)}, "padding": "SAME"}, x).Output(0)
		case 15:
			squares := o.add("Square", nil, o.weights(depth)).Output(0)
			x = o.add("FusedBatchNormV3", map[string]any{"data_format": "NCHW", "is_training": rng.IntN(2) == 0, "exponential_avg_factor": float32(0.5)}, x, o.weights(depth), o.weights(depth), o.weights(depth), squares).Output(0)
		case 0, 1, 2:
			in, attrs := x, map[string]any{"strides": []int64{1, 1 + rng.Int64N(2), 1, 1}, "padding": []string{"SAME", "VALID"}[rng.IntN(2)]}
			if rng.IntN(2) == 0 {
				in = o.add("Pad", nil, in, around()).Output(0)
			}
			op, more, filter := "Conv2D", 1+rng.Int64N(16), []int64{1 + rng.Int64N(3), 1 + rng.Int64N(3), depth, 0}
			if filter[3] = more; rng.IntN(3) == 0 {
				op, more, filter[3] = "DepthwiseConv2dNative", depth, 1
				attrs["strides"] = []int64{1, 1, 1, 1}
			}
			if n, err := o.attempt(op, attrs, last(in), o.weights(filter...)); err == nil {
				x, depth = n.Output(0), more
				if rng.IntN(2) == 0 {
					x = o.add("BiasAdd", nil, x, o.weights(depth)).Output(0)
				}
				if x = first(x); rng.IntN(2) == 0 {
					x = o.add("AddV2", nil, x, row(depth)).Output(0)
				}
			}
		case 3:
			pool := o.add([]string{"MaxPool", "AvgPool"}[rng.IntN(2)], map[string]any{
				"ksize": []int64{1, 2, 3, 1}, "strides": []int64{1, 1 + rng.Int64N(2), 1, 1}, "padding": "SAME"}, last(x)).Output(0)
			x = first(pool)
		case 4:
			x = o.add([]string{"Relu", "Relu6", "LeakyRelu", "Sigmoid"}[rng.IntN(4)], nil, x).Output(0)
		case 5: // squeeze and excitation
			mean := o.add([]string{"Mean", "Max", "Sum"}[rng.IntN(3)], map[string]any{"keep_dims": true}, x, o.integers(2, []int32{3, -1}[rng.IntN(2)])).Output(0)
			y := first(o.add("BiasAdd", nil, o.same(last(mean), depth, depth), o.weights(depth)).Output(0))
			x = o.add("Mul", nil, x, o.add("Sigmoid", nil, y).Output(0)).Output(0)
		case 6:
			if depth <= 20 {
				axis, _ := tensor.NewTensor([]int32{1, -3}[rng.IntN(2)])
				other := o.add("Neg", nil, x).Output(0)
				n, err := o.g.AddOperation(graph.OpSpec{Type: "ConcatV2", Name: o.g.UniqueName("ConcatV2"), Input: []graph.Input{graph.OutputList{x, other}, o.constant(axis)}})
				if err == nil {
					x, depth = n.Output(0), 2*depth
				}
			}
		case 7: // some of the channels
			begin := rng.Int64N(depth)
			size := 1 + rng.Int64N(depth-begin)
			x = o.add("Slice", nil, x, o.integers(0, int32(begin), 0, 0), o.integers(-1, int32(size), -1, -1)).Output(0)
			depth = size
		case 8:
			fill, _ := tensor.NewTensor(float32(rng.IntN(2)))
			x = o.add("PadV2", nil, x, around(), o.constant(fill)).Output(0)
		case 9: // a residual
			y := first(o.add("Relu", nil, o.same(last(x), depth, depth)).Output(0))
			x = o.add([]string{"AddV2", "Mul", "Maximum"}[rng.IntN(3)], nil, x, y).Output(0)
		case 10: // channels are shuffled
			if depth%2 == 0 {
				shape := o.add("Shape", nil, x).Output(0)
				five := o.add("Reshape", nil, last(x), o.joinedShape(shape, 2, int32(depth/2))).Output(0)
				five = o.add("Transpose", nil, five, o.integers(0, 1, 2, 4, 3)).Output(0)
				x = first(o.add("Reshape", nil, five, o.joinedShape(shape, int32(depth))).Output(0))
			}
		default:
			number, _ := tensor.NewTensor(float32(rng.NormFloat64()))
			x = o.add([]string{"AddV2", "Sub", "Mul", "Minimum"}[rng.IntN(4)], nil, x, o.constant(number)).Output(0)
		}
	}
	return last(x), depth
}

// joinedShape is batch, height and width of a shape whose channels are second, and what follows.
func (o *network) joinedShape(shape graph.Output, more ...int32) graph.Output {
	axis, _ := tensor.NewTensor(int32(0))
	three := o.add("GatherV2", nil, shape, o.integers(0, 2, 3), o.constant(axis)).Output(0)
	n, err := o.g.AddOperation(graph.OpSpec{Type: "ConcatV2", Name: o.g.UniqueName("ConcatV2"), Input: []graph.Input{graph.OutputList{three, o.integers(more...)}, o.constant(axis)}})
	if err != nil {
		panic(err)
	}
	return n.Output(0)
}
