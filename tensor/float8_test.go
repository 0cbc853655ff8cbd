package tensor_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensortest"
)

// The golden file was recorded from ml_dtypes: all values, and what some
// float32s round to.
func TestFloat8AgreesWithMLDtypes(t *testing.T) {
	var golden map[string]struct {
		Values []string // of the 256 bit patterns
		Inputs []uint32 // float32 bits
		Rounds []uint8
	}
	tensortest.ReadGolden(t, "float8.json.gz", &golden)
	for name, g := range golden {
		dt, ok := tensor.ParseDType(name)
		if !ok {
			t.Fatalf("no dtype %q", name)
		}
		for i, want := range g.Values {
			w, err := strconv.ParseFloat(want, 32)
			if err != nil {
				t.Fatal(err)
			}
			got := float64(tensor.Float8Value(dt, uint8(i)))
			if got != w && !(got != got && w != w) || got == 0 && math.Signbit(got) != math.Signbit(w) {
				t.Errorf("%s %#02x = %v, want %v", name, i, got, want)
			}
		}
		for i, bits := range g.Inputs {
			f := math.Float32frombits(bits)
			if got := tensor.ToFloat8(dt, f); got != g.Rounds[i] {
				t.Errorf("%s of %v (%#08x) = %#02x, want %#02x", name, f, bits, got, g.Rounds[i])
			}
		}
	}
}
