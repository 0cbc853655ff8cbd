package accelerators

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// TestRegistrations: kernels of accelerators agree with the operations' definitions.
func TestRegistrations(t *testing.T) {
	if err := kernel.Validate(registry.Global); err != nil {
		t.Fatal(err)
	}
}

// A player runs the kernels of a device on tokens, as a step does.
type player struct {
	t      *testing.T
	device *streams.Device
	ctx    *kernel.Context
	held   []tensor.Value
}

func newPlayer(t *testing.T, d *streams.Device) *player {
	ctx := new(kerneltest.Runner).Context()
	ctx.Step.Accelerators = map[string]devices.Streams{d.Attributes().Name: d}
	return &player{t: t, device: d, ctx: ctx}
}

func (p *player) up(x *tensor.Tensor) tensor.Value {
	p.t.Helper()
	v := tensor.ValueOf(x)
	u, err := resident.Upload(p.ctx, p.device, &v)
	if err != nil {
		p.t.Fatal(err)
	}
	p.held = append(p.held, u)
	return u
}

// run returns the first output.
func (p *player) run(op string, attrs registry.Attrs, in ...tensor.Value) tensor.Value {
	p.t.Helper()
	return p.all(op, attrs, in...)[0]
}

func (p *player) all(op string, attrs registry.Attrs, in ...tensor.Value) []tensor.Value {
	p.t.Helper()
	def, err := registry.Global.Lookup(op)
	if err != nil {
		p.t.Fatal(err)
	}
	types := make([]tensor.DType, len(in))
	for i := range in {
		types[i] = in[i].DType()
		if r, err := resident.Of(&in[i]); err == nil {
			types[i] = r.DType()
		}
	}
	resolved, err := registry.InferFlat(def, attrs, types)
	if err != nil {
		p.t.Fatal(err)
	}
	a := p.device.Attributes()
	k, err := kernel.Make(a.Type, &kernel.Construction{Node: op, Op: def, Attrs: resolved.Attrs, Inputs: resolved.Inputs, Outputs: resolved.Outputs, Device: a.Name})
	if err != nil {
		p.t.Fatal(err)
	}
	out := make([]tensor.Value, len(resolved.Outputs))
	if err := k.Run(p.ctx, in, out); err != nil {
		p.t.Fatalf("%s: %v", op, err)
	}
	p.held = append(p.held, out...)
	return out
}

func (p *player) down(v tensor.Value) *tensor.Tensor {
	p.t.Helper()
	if v.DType() != tensor.Variant { // in host memory
		return v.Tensor()
	}
	type result struct {
		t   *tensor.Tensor
		err error
	}
	done := make(chan result, 1)
	if err := resident.Download(p.t.Context(), &v, func(t *tensor.Tensor, err error) { done <- result{t, err} }); err != nil {
		p.t.Fatal(err)
	}
	select {
	case r := <-done:
		if r.err != nil {
			p.t.Fatal(r.err)
		}
		return r.t
	case <-time.After(patience):
		p.t.Fatal("the device does not answer")
		return nil
	}
}

// An opCall is an operation with its inputs, some of which are in host memory.
type opCall struct {
	op    string
	attrs registry.Attrs
	in    []*tensor.Tensor
	host  []int
}

// calls are of operations whose shapes take some reckoning.
func calls(rng *rand.Rand) []opCall {
	f := func(dims ...int64) *tensor.Tensor { return random(rng, tensor.Float, dims...) }
	conv := registry.Attrs{ints("strides", 1, 2, 1, 1), str("padding", "SAME")}
	pool := registry.Attrs{ints("ksize", 1, 3, 2, 1), ints("strides", 1, 2, 2, 1), str("padding", "VALID")}
	x, w := f(2, 7, 6, 3), f(3, 2, 3, 4)
	g := must(kerneltest.Run("Conv2D", conv, x, w))[0]
	y := must(kerneltest.Run("MaxPool", pool, x))[0]
	return []opCall{
		{"Conv2D", conv, []*tensor.Tensor{x, w}, nil},
		{"Conv2D", registry.Attrs{ints("strides", 1, 1, 1, 1), str("padding", "EXPLICIT"), ints("explicit_paddings", 0, 0, 2, 1, 0, 3, 0, 0)}, []*tensor.Tensor{x, w}, nil},
		{"Conv2DBackpropInput", conv, []*tensor.Tensor{list[int32](2, 7, 6, 3), w, g}, []int{0}},
		{"Conv2DBackpropFilter", conv, []*tensor.Tensor{x, list[int32](3, 2, 3, 4), g}, []int{1}},
		{"MaxPool", pool, []*tensor.Tensor{x}, nil},
		{"AvgPool", pool, []*tensor.Tensor{x}, nil},
		{"MaxPoolGrad", pool, []*tensor.Tensor{x, y, y}, nil},
		{"SparseSoftmaxCrossEntropyWithLogits", nil, []*tensor.Tensor{f(3, 5), list[int32](0, 4, 2)}, nil},
		{"ConcatV2", nil, []*tensor.Tensor{f(2, 3), f(2, 1), one(int32(-1))}, []int{2}},
		{"GatherV2", nil, []*tensor.Tensor{f(4, 3, 2), must1(tensor.FromSlice([]int32{2, 0, 1, 1}, 2, 2)), one(int32(1))}, []int{2}},
		{"Pad", nil, []*tensor.Tensor{f(2, 3), must1(tensor.FromSlice([]int32{1, 0, 0, 2}, 2, 2))}, []int{1}},
		{"Cast", registry.Attrs{typed("DstT", tensor.Int32)}, []*tensor.Tensor{f(9)}, nil},
		{"Identity", nil, []*tensor.Tensor{f(3)}, nil},
		{"ExpandDims", nil, []*tensor.Tensor{f(3, 2), one(int32(-2))}, []int{1}},
		{"Squeeze", registry.Attrs{ints("squeeze_dims", -1)}, []*tensor.Tensor{f(3, 1, 2, 1)}, nil},
		{"Squeeze", nil, []*tensor.Tensor{f(3, 1, 2, 1)}, nil},
		{"Shape", nil, []*tensor.Tensor{f(3, 1, 2)}, nil},
		{"Size", registry.Attrs{typed("out_type", tensor.Int64)}, []*tensor.Tensor{f(3, 1, 2)}, nil},
		{"Rank", nil, []*tensor.Tensor{f(3, 1, 2)}, nil},
		{"Less", nil, []*tensor.Tensor{f(3, 1), f(4)}, nil},
		{"BatchMatMulV2", nil, []*tensor.Tensor{f(2, 1, 3, 4), f(5, 4, 2)}, nil},
	}
}

// parts are of operations that take tensors apart, or put them together.
func parts(rng *rand.Rand) []opCall {
	f := func(dims ...int64) *tensor.Tensor { return random(rng, tensor.Float, dims...) }
	x := f(4, 5, 6)
	masks := registry.Attrs{integer("begin_mask", 1), integer("end_mask", 2), integer("shrink_axis_mask", 4)}
	around := registry.Attrs{integer("ellipsis_mask", 2), integer("new_axis_mask", 1)}
	picked := must(kerneltest.Run("StridedSlice", masks, x, list[int32](3, 4, 2), list[int32](1, 0, 6), list[int32](-2, -1, 1)))[0]
	return []opCall{
		{"Slice", nil, []*tensor.Tensor{x, list[int32](1, 0, 2), list[int32](2, -1, 3)}, []int{1, 2}},
		{"Slice", nil, []*tensor.Tensor{x, list[int64](4, 0, 0), list[int64](0, 5, 6)}, []int{1, 2}},
		{"StridedSlice", masks, []*tensor.Tensor{x, list[int32](3, 4, 2), list[int32](1, 0, 6), list[int32](-2, -1, 1)}, []int{1, 2, 3}},
		{"StridedSlice", around, []*tensor.Tensor{x, list[int64](0, 0, 1), list[int64](0, 0, 4), list[int64](1, 1, 2)}, []int{1, 2, 3}},
		{"StridedSlice", nil, []*tensor.Tensor{random(rng, tensor.Bool, 4, 5), list[int32](2), list[int32](-9), list[int32](-1)}, []int{1, 2, 3}},
		{"StridedSliceGrad", masks, []*tensor.Tensor{list[int32](4, 5, 6), list[int32](3, 4, 2), list[int32](1, 0, 6), list[int32](-2, -1, 1), picked}, []int{0, 1, 2, 3}},
		{"Split", registry.Attrs{integer("num_split", 3)}, []*tensor.Tensor{one(int32(-1)), x}, []int{0}},
		{"SplitV", registry.Attrs{integer("num_split", 3)}, []*tensor.Tensor{x, list[int64](1, -1, 2), one(int32(1))}, []int{1, 2}},
		{"Unpack", registry.Attrs{integer("num", 5), integer("axis", 1)}, []*tensor.Tensor{x}, nil},
		{"Pack", registry.Attrs{integer("axis", -1)}, []*tensor.Tensor{f(2, 3), f(2, 3)}, nil},
		{"Tile", nil, []*tensor.Tensor{f(2, 3), list[int32](2, 3)}, []int{1}},
		{"BroadcastTo", nil, []*tensor.Tensor{f(3, 1), list[int32](2, 3, 4)}, []int{1}},
		{"Fill", nil, []*tensor.Tensor{list[int32](2, 3), one(float32(-1.5))}, []int{0, 1}},
		{"Select", nil, []*tensor.Tensor{random(rng, tensor.Bool, 4), x, f(4, 5, 6)}, nil},
		{"AddN", nil, []*tensor.Tensor{x, f(4, 5, 6), f(4, 5, 6)}, nil},
		{"AddN", nil, []*tensor.Tensor{x}, nil},
		{"ArgMax", nil, []*tensor.Tensor{x, one(int32(-2))}, []int{1}},
		{"ArgMin", registry.Attrs{typed("output_type", tensor.Int32)}, []*tensor.Tensor{x, one(int32(0))}, []int{1}},
		{"UnsortedSegmentSum", nil, []*tensor.Tensor{x, list[int32](2, 0, -1, 2), one(int32(4))}, []int{2}},
		{"UnsortedSegmentSum", nil, []*tensor.Tensor{f(2, 3, 2), must1(tensor.FromSlice([]int64{0, 2, 1, 1, 2, 2}, 2, 3)), one(int64(3))}, []int{2}},
	}
}

// layers are of operations of networks, and random numbers.
func layers(rng *rand.Rand) []opCall {
	f := func(dims ...int64) *tensor.Tensor { return random(rng, tensor.Float, dims...) }
	positive := func(n int64) *tensor.Tensor { return must(kerneltest.Run("Exp", nil, f(n)))[0] }
	empty := must1(tensor.New(tensor.Float, 0))
	given := registry.Attrs{boolean("is_training", false)}
	x, scale := f(2, 3, 4, 5), f(5)
	y := must(kerneltest.Run("FusedBatchNormV3", nil, x, scale, f(5), empty, empty))
	pool := registry.Attrs{ints("ksize", 1, 3, 2, 1), ints("strides", 1, 2, 1, 1), str("padding", "SAME")}
	const batch, inputs, size = 3, 4, 5
	w, b, peep := f(inputs+size, 4*size), f(4*size), f(size)
	seed := list[int64](17, -3)
	key, counter, alg := list[uint64](1<<63+5), list[uint64](1<<64-2, 9), one(int32(3))
	all := []opCall{
		{"AvgPoolGrad", pool, []*tensor.Tensor{list[int32](2, 7, 6, 3), f(2, 4, 6, 3)}, []int{0}},
		{"FusedBatchNorm", nil, []*tensor.Tensor{x, scale, f(5), empty, empty}, nil},
		{"FusedBatchNormV3", nil, []*tensor.Tensor{x, scale, f(5), empty, empty}, nil},
		{"FusedBatchNormV3", given, []*tensor.Tensor{x, scale, f(5), f(5), positive(5)}, nil},
		{"FusedBatchNormV2", nil, []*tensor.Tensor{f(0, 3, 4, 5), scale, f(5), empty, empty}, nil},
		{"FusedBatchNormGradV3", nil, []*tensor.Tensor{f(2, 3, 4, 5), x, scale, y[3], y[4], y[5]}, nil},
		{"FusedBatchNormGrad", nil, []*tensor.Tensor{f(2, 3, 4, 5), x, scale, y[3], y[4]}, nil},
		{"LSTMBlockCell", nil, []*tensor.Tensor{f(batch, inputs), f(batch, size), f(batch, size), w, peep, peep, peep, b}, nil},
		{"BlockLSTM", nil, []*tensor.Tensor{one(int64(3)), f(4, batch, inputs), f(batch, size), f(batch, size), w, peep, peep, peep, b}, []int{0}},
	}
	for _, c := range []struct {
		op string
		dt tensor.DType
	}{{"StatelessRandomUniform", tensor.Float}, {"StatelessRandomNormal", tensor.Float}, {"StatelessRandomUniformFullInt", tensor.Int32}} {
		attrs := registry.Attrs{typed("dtype", c.dt)}
		all = append(all, opCall{c.op, attrs, []*tensor.Tensor{list[int32](7, 9), seed}, []int{0, 1}},
			opCall{c.op + "V2", attrs, []*tensor.Tensor{list[int32](3, 5), key, counter, alg}, []int{0, 1, 2, 3}})
	}
	return all
}

// TestResident computes a layer and its loss without the host between, and finds all
// memory released.
func TestResident(t *testing.T) {
	open := map[string]func(t *testing.T) *streams.Device{
		"OpenCL": func(t *testing.T) *streams.Device { return opened(t, opencl.Open).Device },
		"Emulated": func(t *testing.T) *streams.Device {
			driver := emulated.New(emulated.Options{Seed: 3})
			d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) { return driver, nil }, streams.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			return d
		},
	}
	rng := rand.New(rand.NewPCG(2, 1))
	x, w, b := random(rng, tensor.Float, 6, 20), random(rng, tensor.Float, 20, 8), random(rng, tensor.Float, 8)
	axes, shape, perm := list[int32](1), list[int32](2, -1), list[int32](1, 0)
	cpu := func(op string, attrs registry.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
		return must(kerneltest.Run(op, attrs, in...))[0]
	}
	keep := registry.Attrs{boolean("keep_dims", true)}
	h := cpu("Relu", nil, cpu("BiasAdd", nil, cpu("MatMul", nil, x, w), b))
	want := cpu("Transpose", nil, cpu("Reshape", nil, cpu("Sub", nil, cpu("Softmax", nil, h), cpu("Mean", keep, h, axes)), shape), perm)
	for name, open := range open {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t, open(t))
			host := func(x *tensor.Tensor) tensor.Value { return tensor.ValueOf(x) }
			for range 3 {
				h := p.run("Relu", nil, p.run("BiasAdd", nil, p.run("MatMul", nil, p.up(x), p.up(w)), p.up(b)))
				y := p.run("Sub", nil, p.run("Softmax", nil, h), p.run("Mean", keep, h, host(axes)))
				z := p.run("Transpose", nil, p.run("Reshape", nil, y, host(shape)), host(perm))
				if err := tensor.Compare(p.down(z), want, near[tensor.Float]); err != nil {
					t.Error(err)
				}
				for _, v := range p.held {
					p.ctx.Arena.Reclaim(v)
				}
				p.held = nil
			}
			for _, c := range slices.Concat(calls(rng), parts(rng), layers(rng)) { // each by itself
				want, err := kerneltest.Run(c.op, c.attrs, c.in...)
				if err != nil {
					t.Fatal(err)
				}
				in := make([]tensor.Value, len(c.in))
				for i, x := range c.in {
					if in[i] = host(x); !slices.Contains(c.host, i) {
						in[i] = p.up(x)
					}
				}
				for i, got := range p.all(c.op, c.attrs, in...) {
					if err := tensor.Compare(p.down(got), want[i], rough); err != nil {
						t.Errorf("%s: output %d: %v", c.op, i, err)
					}
				}
			}
			for _, v := range p.held {
				p.ctx.Arena.Reclaim(v)
			}
			p.held = nil
			if s := p.device.Statistics(); s.Blocks != 0 || s.Reused == 0 {
				t.Errorf("memory after all tokens are gone: %+v", s)
			}
		})
	}
}
