package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// checkTiled panics unless a kernel that computes rows by themselves makes those that Run has
// made of in, in bands of all heights.
func checkTiled(k kernel.Kernel, ctx *kernel.Context, in, out []tensor.Value, err error) {
	p, ok := k.(kernel.Tiler)
	if !ok || status.CodeOf(err) == status.ResourceExhausted {
		return
	}
	inputs := make([]kernel.TileInput, len(in))
	for i := range in {
		if in[i].IsZero() {
			return
		}
		inputs[i] = kernel.TileInput{DType: in[i].DType(), Dims: in[i].Dims(), Constant: in[i]}
	}
	alone := *ctx.Step
	alone.Pool = Serial{}
	for inner := 1; inner <= 2; inner++ {
		t := p.Tile(inputs, inner)
		if t.Dims == nil {
			continue
		}
		if err != nil {
			if t.New != nil {
				panic(fmt.Sprintf("%T: rows can be computed where Run answers %v", k, err))
			}
			continue
		}
		if !slices.Equal(t.Dims, out[0].Dims()) {
			panic(fmt.Sprintf("%T: rows of %s, where Run makes %s", k, tensor.FormatDims(t.Dims), tensor.FormatDims(out[0].Dims())))
		}
		images, rows, width, ok := kernel.RowsOf(t.Dims, inner)
		scattered := t.Scattered != [2]int{}
		if scattered {
			images, rows, ok = t.Scattered[0], t.Scattered[1], true
			width = len(tensor.Of[float32](&out[0])) / max(images*rows, 1)
		}
		if t.New == nil || !ok || images*rows*width == 0 {
			continue
		}
		rng := rand.New(rand.NewPCG(uint64(rows), uint64(width)))
		want := tensor.Of[float32](&out[0])
		run, all := t.New(), make([]float32, len(want))
		for _, height := range []int{1, 1 + rng.IntN(rows), rows} {
			for image := range images {
				earlier := make([]int, len(in))
				for lo := 0; lo < rows; lo += height {
					hi := min(lo+height, rows)
					args := make([][]float32, len(in))
					for i := range in {
						if inputs[i].DType != tensor.Float {
							continue
						}
						x := tensor.Of[float32](&in[i])
						if t.Streams>>i&1 != 0 {
							n, high, size, ok := kernel.RowsOf(in[i].Dims(), inner)
							from, to := lo, hi
							if t.Rows != nil {
								from, to = t.Rows(i, lo, hi)
							}
							if !ok || n != images || from < earlier[i] || to > high || from >= to {
								panic(fmt.Sprintf("%T: rows %d to %d need those from %d to %d of %d in %d images", k, lo, hi, from, to, high, n))
							}
							earlier[i] = from
							x = slices.Clone(x[(image*high+from)*size : (image*high+to)*size])
						}
						args[i] = x[:len(x):len(x)]
					}
					got := all[:(hi-lo)*width]
					if scattered {
						got = all
					}
					if !scattered || image+lo == 0 {
						for i := range got {
							got[i] = float32(math.NaN())
						}
					}
					if err := run(&kernel.Context{Step: &alone}, image, lo, hi, args, got); err != nil {
						panic(fmt.Sprintf("%T: rows %d to %d: %v", k, lo, hi, err))
					}
					if scattered && (hi < rows || image < images-1) {
						continue
					}
					first := (image*rows + lo) * width
					if scattered {
						first = 0
					}
					for i, x := range got {
						if at := first + i; math.Float32bits(x) != math.Float32bits(want[at]) && (x == x || want[at] == want[at]) {
							panic(fmt.Sprintf("%T: of rows %d to %d of image %d of %s element %d is %v, where Run makes %v", k, lo, hi, image, tensor.FormatDims(t.Dims), i, x, want[at]))
						}
					}
				}
			}
		}
	}
}
