package data_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A loop runs operations as a graph with a loop would.
type loop struct {
	tb     testing.TB
	runner kerneltest.Runner
}

func (l *loop) run(op, attrs string, in ...tensor.Value) []tensor.Value {
	l.tb.Helper()
	inputs := make([]*tensor.Tensor, len(in))
	for i, v := range in {
		inputs[i] = v.Tensor()
	}
	out, err := l.runner.Run(op, op, l.attrs(attrs), inputs...)
	if err != nil {
		l.tb.Fatal(err)
	}
	values := make([]tensor.Value, len(out))
	for i, t := range out {
		values[i] = tensor.ValueOf(t)
	}
	return values
}

func (l *loop) attrs(text string) registry.Attrs {
	attrs, err := registry.ParseAttrs(text)
	if err != nil {
		l.tb.Fatal(err)
	}
	return attrs
}

// A node runs an operation on its first inputs, which may be zero.
type node func(a, b, c, d tensor.Value) tensor.Value

func (l *loop) node(op, attrs string, types ...tensor.DType) node {
	l.tb.Helper()
	k, outputs, err := kerneltest.New(op, op, l.attrs(attrs), types...)
	if err != nil {
		l.tb.Fatal(err)
	}
	ctx, in, out := l.runner.Context(), make([]tensor.Value, 4), make([]tensor.Value, max(1, len(outputs)))
	return func(a, b, c, d tensor.Value) tensor.Value {
		in[0], in[1], in[2], in[3] = a, b, c, d
		if err := k.Run(ctx, in[:len(types)], out); err != nil {
			l.tb.Fatal(err)
		}
		return out[0]
	}
}

// A loop that writes and reads an array, or pushes and pops, allocates what
// they hold and nothing else.
func TestLoopsAllocateNothing(t *testing.T) {
	const n = 1000
	l := &loop{tb: t}
	write := l.node("TensorArrayWriteV3", "", tensor.Resource, tensor.Int32, tensor.Float, tensor.Float)
	read := l.node("TensorArrayReadV3", "dtype=DT_FLOAT", tensor.Resource, tensor.Int32, tensor.Float)
	push := l.node("StackPushV2", "", tensor.Resource, tensor.Float)
	pop := l.node("StackPopV2", "elem_type=DT_FLOAT", tensor.Resource)
	flow := tensor.Scalar(float32(0))
	for name, body := range map[string]func(){
		"TensorArray": func() {
			array := l.run("TensorArrayV3", "dtype=DT_FLOAT", tensor.Scalar(int32(n)))[0]
			for i := range int32(n) {
				write(array, tensor.Scalar(i), tensor.Scalar(float32(i)), flow)
			}
			for i := range int32(n) {
				if v := read(array, tensor.Scalar(i), flow, none); tensor.At0[float32](&v) != float32(i) {
					t.Fatalf("element %d is %v", i, v)
				}
			}
		},
		"Stack": func() {
			stack := l.run("StackV2", "elem_type=DT_FLOAT", tensor.Scalar(int32(-1)))[0]
			for i := range n {
				push(stack, tensor.Scalar(float32(i)), none, none)
				push(stack, tensor.Scalar(float32(i)), none, none)
				pop(stack, none, none, none)
				pop(stack, none, none, none)
			}
		},
	} {
		if allocs := testing.AllocsPerRun(5, body); allocs > n/10 {
			t.Errorf("%s: %v allocations in a loop of %d iterations", name, allocs, n)
		}
	}
}

var none tensor.Value

func BenchmarkTensorArrayWriteRead(b *testing.B) {
	l := &loop{tb: b}
	write := l.node("TensorArrayWriteV3", "", tensor.Resource, tensor.Int32, tensor.Float, tensor.Float)
	read := l.node("TensorArrayReadV3", "dtype=DT_FLOAT", tensor.Resource, tensor.Int32, tensor.Float)
	array := l.run("TensorArrayV3", "dtype=DT_FLOAT, dynamic_size=true", tensor.Scalar(int32(0)))[0]
	flow := tensor.Scalar(float32(0))
	b.ReportAllocs()
	i := int32(0)
	for b.Loop() {
		write(array, tensor.Scalar(i), flow, flow)
		read(array, tensor.Scalar(i), flow, none)
		i++
	}
}

// What a loop reads from an array of rows has homes.
func BenchmarkTensorArrayRows(b *testing.B) {
	const n = 1000
	l := &loop{tb: b}
	write := l.node("TensorArrayWriteV3", "", tensor.Resource, tensor.Int32, tensor.Float, tensor.Float)
	read, _, err := kerneltest.New("read", "TensorArrayReadV3", l.attrs("dtype=DT_FLOAT"), tensor.Resource, tensor.Int32, tensor.Float)
	if err != nil {
		b.Fatal(err)
	}
	row, err := tensor.New(tensor.Float, 1, 64)
	if err != nil {
		b.Fatal(err)
	}
	array := l.run("TensorArrayV3", "dtype=DT_FLOAT, clear_after_read=false, identical_element_shapes=true", tensor.Scalar(int32(n)))[0]
	flow := tensor.Scalar(float32(0))
	for i := range int32(n) {
		write(array, tensor.Scalar(i), tensor.ValueOf(row), flow)
	}
	ctx, homes, out := l.runner.Context(), make([]tensor.BufferSlot, 1), make([]tensor.Value, 1)
	in := []tensor.Value{array, flow, flow}
	b.ReportAllocs()
	i := int32(0)
	for b.Loop() {
		in[1], ctx.Slots = tensor.Scalar(i), homes
		if err := read.Run(ctx, in, out); err != nil {
			b.Fatal(err)
		}
		out[0].Hold(1)
		ctx.Arena.Drop(out[0])
		i = (i + 1) % n
	}
}

// An array is made, and its elements are written and read: scalars.
func BenchmarkTensorArrayScalars(b *testing.B) {
	const n = 1000
	l := &loop{tb: b}
	write := l.node("TensorArrayWriteV3", "", tensor.Resource, tensor.Int32, tensor.Float, tensor.Float)
	read := l.node("TensorArrayReadV3", "dtype=DT_FLOAT", tensor.Resource, tensor.Int32, tensor.Float)
	flow := tensor.Scalar(float32(0))
	b.ReportAllocs()
	for b.Loop() {
		array := l.run("TensorArrayV3", "dtype=DT_FLOAT, identical_element_shapes=true", tensor.Scalar(int32(n)))[0]
		for i := range int32(n) {
			write(array, tensor.Scalar(i), flow, flow)
		}
		for i := range int32(n) {
			read(array, tensor.Scalar(i), flow, none)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N*n), "ns/access")
}

func BenchmarkStackPushPop(b *testing.B) {
	l := &loop{tb: b}
	push := l.node("StackPushV2", "", tensor.Resource, tensor.Float)
	pop := l.node("StackPopV2", "elem_type=DT_FLOAT", tensor.Resource)
	stack := l.run("StackV2", "elem_type=DT_FLOAT", tensor.Scalar(int32(-1)))[0]
	b.ReportAllocs()
	for b.Loop() {
		push(stack, tensor.Scalar(float32(1)), none, none)
		pop(stack, none, none, none)
	}
}
