package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Hostile runs the operations of a file as [Recorded] reads it with inputs that
// have been tampered with: extreme numbers, other shapes, strings cut short.
// Whatever comes in, a kernel must answer, within a limit of memory, and must
// not panic. The changes are the same in every run.
func Hostile(t *testing.T, path string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	eachRecord(t, path, func(line int, r *record) {
		attrs, in, err := r.call()
		if err != nil {
			t.Fatalf("%s:%d: %v", path, line, err)
		}
		for range 1 + 2*len(in) {
			changed := append([]*tensor.Tensor(nil), in...)
			for range 1 + rng.IntN(2) {
				if len(in) > 0 {
					i := rng.IntN(len(in))
					changed[i] = Tamper(rng, changed[i])
				}
			}
			if report := survive(r.Op, attrs, changed); report != "" {
				t.Errorf("%s:%d: %s[%s]%v: %s", path, line, r.Op, r.Attrs, changed, report)
			}
		}
	})
}

// survive reports how a kernel panicked, "" if it did not.
func survive(op string, attrs registry.Attrs, in []*tensor.Tensor) (report string) {
	defer func() {
		if r := recover(); r != nil {
			report = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	runner := Runner{Limit: 1 << 22}
	_, _ = runner.Run("node", op, attrs, in...)
	return ""
}

// Tamper is t with another shape, or with a few other elements.
func Tamper(rng *rand.Rand, t *tensor.Tensor) *tensor.Tensor {
	n := int64(t.NumElements())
	if rng.IntN(3) == 0 {
		shapes := [][]int64{{n}, {1, n}, {n, 1}, {n, 1, 1}, {0}, {0, 3}, {}}
		shape := shapes[rng.IntN(len(shapes))]
		if other, err := t.WithShape(shape); err == nil {
			return other
		}
		if other, err := tensor.New(t.DType(), shape...); err == nil {
			return other
		}
	}
	c, err := tensor.New(t.DType(), t.Dims()...)
	if err != nil || n == 0 {
		return t
	}
	from, to := tensor.ValueOf(t), tensor.ValueOf(c)
	if c.DType().HasPointers() {
		if c.DType() == tensor.String {
			copy(tensor.Of[string](&to), tensor.Of[string](&from))
			spoil(tensor.Of[string](&to), rng)
		}
		return to.Tensor()
	}
	copy(tensor.Bytes(&to), tensor.Bytes(&from))
	for range 1 + rng.IntN(2) {
		i := rng.IntN(int(n))
		switch c.DType() {
		case tensor.Int64:
			tensor.Of[int64](&to)[i] = extremes[rng.IntN(len(extremes))]
		case tensor.Int32:
			tensor.Of[int32](&to)[i] = int32(extremes[rng.IntN(len(extremes))])
		case tensor.Float:
			tensor.Of[float32](&to)[i] = float32(wild[rng.IntN(len(wild))])
		case tensor.Double:
			tensor.Of[float64](&to)[i] = wild[rng.IntN(len(wild))]
		case tensor.Bool:
			tensor.Of[bool](&to)[i] = rng.IntN(2) == 0
		default:
			size := c.DType().Size()
			b := tensor.Bytes(&to)[i*size:][:size]
			for j := range b {
				b[j] = byte(rng.Uint32())
			}
		}
	}
	return to.Tensor()
}

var (
	extremes = []int64{-1, 0, 1, 7, -2, 1 << 20, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, 1 << 40, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1}
	wild     = []float64{0, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e30, -1e30, 1e-30, math.MaxFloat32, 1 << 40}
)

// spoil cuts one of the strings short, lengthens it or changes a byte.
func spoil(x []string, rng *rand.Rand) {
	s := &x[rng.IntN(len(x))]
	switch {
	case *s == "" || rng.IntN(4) == 0:
		*s += "\x00\xff"
	case rng.IntN(2) == 0:
		*s = (*s)[:rng.IntN(len(*s))]
	default:
		b := []byte(*s)
		b[rng.IntN(len(b))] = byte(rng.Uint32())
		*s = string(b)
	}
}
