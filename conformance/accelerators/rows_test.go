package accelerators

import (
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/tensor"
)

// Rows are changed one after the other, also the same one several times, by rows or by a
// scalar.
func TestScatterOpenCL(t *testing.T) {
	b := opened(t, opencl.Open)
	x, y := ramp(5, 300), ramp(4, 300)
	at := []int64{3, 0, 3, 4}
	for how, f := range map[string]func(x, y float32) float32{
		"Update": func(_, y float32) float32 { return y },
		"Sub":    func(x, y float32) float32 { return x - y },
		"Max":    func(x, y float32) float32 { return max(x, y) },
	} {
		for _, updates := range []*tensor.Tensor{y, one(float32(0.25))} {
			want := append([]float32(nil), floats(x)...)
			for i, row := range at {
				for c := range 300 {
					by := floats(updates)
					z := &want[int(row)*300+c]
					*z = f(*z, by[min(i*300+c, len(by)-1)])
				}
			}
			got, err := b.Run([]*tensor.Tensor{x, list(at...), updates}, []*tensor.Tensor{x}, nil, func(out, in []code.Array) ([]devices.Launch, error) {
				all, err := code.Map("Identity", 0, out[0], in[0])
				if err != nil {
					return nil, err
				}
				rows, err := code.Scatter(how, out[0], in[1], in[2], 1)
				return append(all, rows...), err
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range floats(got[0]) {
				if v != want[i] {
					t.Fatalf("%s by %v: element %d is %g, want %g", how, updates.Shape(), i, v, want[i])
				}
			}
		}
	}
}
