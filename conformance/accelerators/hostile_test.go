package accelerators

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// misshapen are an input with other shapes, and integers with other values.
func misshapen(rng *rand.Rand, x *tensor.Tensor) (all []*tensor.Tensor) {
	dims := x.Dims()
	shaped := func(dims ...int64) {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		switch {
		case n >= 1<<16 || slices.Equal(dims, x.Dims()):
		case x.DType() == tensor.Int32 || x.DType() == tensor.Int64: // zeros, which are indices everywhere
			all = append(all, must1(tensor.New(x.DType(), dims...)))
		default:
			all = append(all, random(rng, x.DType(), dims...))
		}
	}
	shaped()
	shaped(0)
	shaped(1)
	shaped(append([]int64{1}, dims...)...)
	shaped(append(slices.Clone(dims), 2)...)
	if len(dims) > 0 {
		shaped(dims[1:]...)
		shaped(dims[:len(dims)-1]...)
		for i := range dims {
			for _, d := range []int64{0, 1, dims[i] + 1, dims[i] - 1, 2 * dims[i]} {
				if d >= 0 {
					other := slices.Clone(dims)
					other[i] = d
					shaped(other...)
				}
			}
		}
	}
	for _, v := range []int64{-1, -100, 0, 1, 7, 1 << 30, 1 << 40} {
		for k := range min(x.NumElements(), 4) {
			switch x.DType() {
			case tensor.Int32:
				d := slices.Clone(must2(tensor.Data[int32](x)))
				d[k] = int32(v)
				all = append(all, must1(tensor.FromSlice(d, dims...)))
			case tensor.Int64:
				d := slices.Clone(must2(tensor.Data[int64](x)))
				d[k] = v
				all = append(all, must1(tensor.FromSlice(d, dims...)))
			}
		}
	}
	return all
}

// ofElements are errors about elements in a device's memory, which it does not look at: what an
// index names that is not there is zero, or left out.
var ofElements = regexp.MustCompile(`by zero|out of (range|bound)|is not in \[0, 0\)|outside \[0`)

// TestHostile gives operations inputs of shapes, and integers in host memory, that do not fit.
// A kernel refuses what the CPU's does, or it would write where it should not; and nothing
// panics. Integers in a device's memory are not looked at.
func TestHostile(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, o := range operations() {
		_, memory, err := o.construction("GPU", "")
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range o.in {
			for _, y := range misshapen(rng, x) {
				whole := x.DType() == tensor.Int32 || x.DType() == tensor.Int64
				values := whole && slices.Equal(x.Dims(), y.Dims())
				if values && memory[i] == devices.DeviceMemory {
					continue
				}
				bad := o
				bad.in = slices.Clone(o.in)
				for k, z := range bad.in { // that are indices, and in range everywhere
					if dt := z.DType(); memory[k] == devices.DeviceMemory && (dt == tensor.Int32 || dt == tensor.Int64) {
						bad.in[k] = must1(tensor.New(dt, z.Dims()...))
					}
				}
				bad.in[i] = y
				what := fmt.Sprintf("%v with input %d %v%v", &o, i, y.DType(), y.Dims())
				if values {
					what += fmt.Sprint(" ", y)
				}
				func() {
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("%s panics: %v %s", what, r, debug.Stack())
						}
					}()
					_, err := bad.launches("GPU")
					if err != nil {
						return
					}
					_, cpu := bad.onCPU()
					if cpu == nil || status.CodeOf(cpu) == status.ResourceExhausted || ofElements.MatchString(cpu.Error()) {
						return
					}
					t.Errorf("%s is accepted, the CPU: %v", what, cpu)
				}()
			}
		}
	}
}
