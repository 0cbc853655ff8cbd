package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// noise returns a tensor of numbers of all kinds: signed zeros and infinities among them.
func noise(rng *rand.Rand, dims ...int64) *tensor.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		switch k := rng.IntN(40); k {
		case 0:
			x[i] = float32(math.Copysign(0, -1))
		case 1:
			x[i] = float32(math.Inf(1 - 2*rng.IntN(2)))
		default:
			x[i] = float32(rng.NormFloat64())
		}
	}
	t, err := tensor.FromSlice(x, dims...)
	if err != nil {
		panic(err)
	}
	return t
}

// alone runs an operation of one result.
func alone(t *testing.T, op, attrs string, in ...*tensor.Tensor) (*tensor.Tensor, error) {
	t.Helper()
	parsed, err := registry.ParseAttrs(attrs)
	if err != nil {
		t.Fatal(err)
	}
	out, err := kerneltest.Run(op, parsed, in...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// list is strings as attributes are written.
func list(s []string) string { return `["` + strings.Join(s, `", "`) + `"]` }

func sameBits(a, b *tensor.Tensor) bool {
	x, y := tensor.ValueOf(a), tensor.ValueOf(b)
	if !tensor.SameShape(x, y) {
		return false
	}
	p, q := tensor.Of[float32](&x), tensor.Of[float32](&y)
	for i := range p {
		if math.Float32bits(p[i]) != math.Float32bits(q[i]) && !(p[i] != p[i] && q[i] != q[i]) {
			return false
		}
	}
	return true
}

// TestFusedMatMul compares fused products with the operations one after another, on
// operands that fit, that broadcast in other ways, and that do not fit.
func TestFusedMatMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		m, k, n int64
		bias    []int64
	}{
		{1, 64, 37, []int64{37}}, {5, 3, 8, []int64{8}}, {64, 100, 257, []int64{257}}, {300, 20, 301, []int64{301}},
		{4, 2, 1, []int64{3}}, {4, 2, 3, []int64{1}}, {2, 2, 2, []int64{3}}, {0, 2, 2, []int64{2}}, {2, 0, 2, []int64{2}},
	} {
		for _, add := range []string{"BiasAdd", "AddV2", "AddV2:1", "Mul", "Mul:1", "Sub", "Sub:1"} {
			for _, activation := range []string{"", "Relu", "Relu6", "Elu", "Tanh", "Sigmoid"} {
				a, b, bias := noise(rng, c.m, c.k), noise(rng, c.k, c.n), noise(rng, c.bias...)
				plain, second := strings.CutSuffix(add, ":1")
				if plain != "BiasAdd" && activation == "Elu" { // a row of two dimensions, or a scalar
					bias = noise(rng, 1, c.bias[0])
				} else if plain == "Mul" && activation == "Tanh" {
					bias = noise(rng)
				}
				want, wantErr := alone(t, "MatMul", "", a, b)
				blame := "p"
				if wantErr == nil {
					blame = "s"
					x, y := want, bias
					if second {
						x, y = y, x
					}
					want, wantErr = alone(t, plain, "", x, y)
				}
				name := map[string]string{"BiasAdd": "BiasAdd", "AddV2": "BiasAdd", "AddV2:1": "Add"}[add]
				if name == "" {
					name = plain
				}
				fused, ops, names := []string{name}, []string{"MatMul", add}, []string{"p", "s"}
				if activation != "" {
					fused, ops, names = append(fused, activation), append(ops, activation), append(names, "a")
					if wantErr == nil {
						want, wantErr = alone(t, activation, "", want)
					}
				}
				got, err := alone(t, "_FusedMatMul", fmt.Sprintf("num_args=1, fused_ops=%s, _ops=%s, _nodes=%s", list(fused), list(ops), list(names)), a, b, bias)
				what := fmt.Sprintf("%d×%d×%d, %s of %v, %s", c.m, c.k, c.n, add, c.bias, activation)
				switch {
				case wantErr != nil:
					if e := status.From(err); err == nil || e.Message != status.From(wantErr).Message || e.Node != blame {
						t.Errorf("%s: got error %v; want %v of %s", what, err, wantErr, blame)
					}
				case err != nil || !sameBits(got, want):
					t.Errorf("%s: %v, other bits", what, err)
				}
			}
		}
	}
}

// TestFusedConv2D compares fused convolutions with the operations one after another.
func TestFusedConv2D(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const strides = `strides=[1, 1, 1, 1], padding="SAME"`
	for _, c := range []struct{ size, in, out int64 }{{5, 3, 7}, {32, 8, 16}, {9, 1, 1}, {40, 4, 64}, {3, 2, 300}} {
		x, f := noise(rng, 2, c.size, c.size, c.in), noise(rng, 3, 3, c.in, c.out)
		scale, offset, mean := noise(rng, c.out), noise(rng, c.out), noise(rng, c.out)
		variance, _ := alone(t, "Abs", "", noise(rng, c.out))
		side := noise(rng, 2, c.size, c.size, c.out)
		conv, err := alone(t, "Conv2D", strides, x, f)
		if err != nil {
			t.Fatal(err)
		}
		norm, err := alone(t, "FusedBatchNormV3", `is_training=false, epsilon=0.001`, conv, scale, offset, mean, variance)
		if err != nil {
			t.Fatal(err)
		}
		sum, _ := alone(t, "AddV2", "", norm, side)
		want, _ := alone(t, "Relu", "", sum)
		got, err := alone(t, "_FusedConv2D", strides+`, num_args=5, num_host_args=0, TArgs=[DT_FLOAT, DT_FLOAT, DT_FLOAT, DT_FLOAT, DT_FLOAT], epsilon=0.001, fused_ops=["FusedBatchNorm", "Add", "Relu"]`, x, f, scale, offset, mean, variance, side)
		if err != nil || !sameBits(got, want) {
			t.Errorf("%+v: %v, other bits", c, err)
		}
	}
}

// TestFusedNormalization compares the normalizations that Keras writes out, fused, with the
// operations one after another.
func TestFusedNormalization(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const strides = `strides=[1, 1, 1, 1], padding="SAME"`
	for _, c := range []struct{ size, in, out int64 }{{5, 3, 7}, {32, 8, 16}, {9, 1, 1}, {40, 4, 64}, {3, 2, 300}} {
		x, f := noise(rng, 2, c.size, c.size, c.in), noise(rng, 1, 1, c.in, c.out)
		bias, factor, offset := noise(rng, c.out), noise(rng, 1, 1, 1, c.out), noise(rng, 1, 1, 1, c.out)
		side := noise(rng, 2, c.size, c.size, c.out)
		want := x
		for _, s := range []struct {
			op, attrs string
			with      *tensor.Tensor
		}{{"Conv2D", strides, f}, {"BiasAdd", "", bias}, {"Mul", "", factor}, {"AddV2", "", offset}, {"AddV2", "", side}} {
			var err error
			if want, err = alone(t, s.op, s.attrs, want, s.with); err != nil {
				t.Fatal(err)
			}
		}
		want, _ = alone(t, "Relu", "", want)
		got, err := alone(t, "_FusedConv2D", strides+`, num_args=4, num_host_args=0, TArgs=[DT_FLOAT, DT_FLOAT, DT_FLOAT, DT_FLOAT], fused_ops=["BiasAdd", "Mul", "Add", "Add", "Relu"]`, x, f, bias, factor, offset, side)
		if err != nil || !sameBits(got, want) {
			t.Errorf("%+v: %v, other bits", c, err)
		}
	}
}

// TestFusedDepthwise compares fused depthwise convolutions with the operations one after
// another: with one filter for each channel and with more, and of all paddings.
func TestFusedDepthwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct{ size, in, per int64 }{{5, 3, 1}, {32, 16, 1}, {9, 1, 1}, {40, 96, 1}, {7, 2, 3}, {3, 300, 1}} {
		for _, how := range []string{`strides=[1, 1, 1, 1], padding="SAME"`, `strides=[1, 2, 2, 1], padding="VALID"`, `strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 2, 1]`} {
			out := c.in * c.per
			x, f := noise(rng, 2, c.size, c.size, c.in), noise(rng, 3, 3, c.in, c.per)
			bias, factor, offset := noise(rng, out), noise(rng, 1, 1, 1, out), noise(rng, 1, 1, 1, out)
			want := x
			for _, s := range []struct {
				op, attrs string
				with      *tensor.Tensor
			}{{"DepthwiseConv2dNative", how, f}, {"BiasAdd", "", bias}, {"Mul", "", factor}, {"AddV2", "", offset}} {
				var err error
				if want, err = alone(t, s.op, s.attrs, want, s.with); err != nil {
					t.Fatal(err)
				}
			}
			want, _ = alone(t, "Relu6", "", want)
			got, err := alone(t, "_FusedDepthwiseConv2dNative", how+`, num_args=3, fused_ops=["BiasAdd", "Mul", "Add", "Relu6"]`, x, f, bias, factor, offset)
			if err != nil || !sameBits(got, want) {
				t.Errorf("%+v, %s: %v, other bits", c, how, err)
			}
		}
	}
}

// TestFusedZeros: what becomes of -0 in Relu depends on where it is in the whole result,
// as in TensorFlow, and not on the parts in which a convolution is computed.
func TestFusedZeros(t *testing.T) {
	zeros := func(dims ...int64) *tensor.Tensor {
		x, err := tensor.New(tensor.Float, dims...)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	minus := func(n int64) *tensor.Tensor {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(math.Copysign(0, -1))
		}
		v, _ := tensor.FromSlice(x, n)
		return v
	}
	const how = `strides=[1, 1, 1, 1], padding="SAME"`
	for _, channels := range []int64{1, 2, 3, 7, 8, 13} {
		for _, size := range []int64{3, 5, 9, 30} {
			for op, filter := range map[string]*tensor.Tensor{"Conv2D": zeros(3, 3, channels, channels), "DepthwiseConv2dNative": zeros(3, 3, channels, 1)} {
				x, factor, offset := zeros(2, size, size, channels), minus(channels), minus(channels)
				conv, err := alone(t, op, how, x, filter)
				if err != nil {
					t.Fatal(err)
				}
				product, _ := alone(t, "Mul", "", conv, factor)
				sum, _ := alone(t, "AddV2", "", product, offset)
				want, _ := alone(t, "Relu", "", sum)
				attrs := how + `, num_args=2, fused_ops=["Mul", "Add", "Relu"]`
				if op == "Conv2D" {
					attrs += `, num_host_args=0, TArgs=[DT_FLOAT, DT_FLOAT]`
				}
				got, err := alone(t, "_Fused"+op, attrs, x, filter, factor, offset)
				if err != nil || !sameBits(got, want) {
					t.Errorf("%s of %d×%d×%d: %v, other zeros", op, size, size, channels, err)
				}
			}
		}
	}
}

// TestFusedRepeated: what follows a product may repeat it, and then the result has other
// dimensions than the product, in rows computed by themselves too.
func TestFusedRepeated(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const how = `strides=[1, 1, 1, 1], padding="SAME"`
	x, f, bias := noise(rng, 1, 5, 1, 3), noise(rng, 3, 3, 3, 4), noise(rng, 4)
	for _, dims := range [][]int64{{2, 5, 1, 4}, {1, 5, 6, 4}, {3, 1, 2, 4}, {2, 1, 5, 1, 4}} {
		side := noise(rng, dims...)
		conv, err := alone(t, "Conv2D", how, x, f)
		if err != nil {
			t.Fatal(err)
		}
		biased, _ := alone(t, "BiasAdd", "", conv, bias)
		want, err := alone(t, "AddV2", "", biased, side)
		if err != nil {
			t.Fatal(err)
		}
		got, err := alone(t, "_FusedConv2D", how+`, num_args=2, num_host_args=0, TArgs=[DT_FLOAT, DT_FLOAT], fused_ops=["BiasAdd", "Add"]`, x, f, bias, side)
		if err != nil || !sameBits(got, want) {
			t.Errorf("%v: %v, other bits", dims, err)
		}
	}
}

// TestFusedApart: of other types the operations are run one after another.
func TestFusedApart(t *testing.T) {
	x, _ := tensor.NewTensor([][][][]float64{{{{1}, {-2}}, {{3}, {4}}}})
	f, _ := tensor.NewTensor([][][][]float64{{{{2}}}})
	b, _ := tensor.NewTensor([]float64{1})
	got, err := alone(t, "_FusedConv2D", `strides=[1, 1, 1, 1], padding="SAME", num_args=1, num_host_args=0, TArgs=[DT_DOUBLE], fused_ops=["BiasAdd", "Relu"]`, x, f, b)
	if err != nil {
		t.Fatal(err)
	}
	if v := fmt.Sprint(got.Value()); v != "[[[[3] [0]] [[7] [9]]]]" {
		t.Error(v)
	}
}
