package nn

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A fusedStep is an operation of a fused product that was prepared: x and y say
// which input is its first operand and its last; -1 is what comes before it.
type fusedStep struct {
	run  func(o, x, y []float32)
	x, y int
}

// Prepare makes a small product ready, with the operations that follow it: they are
// done in its memory, as every loop on elements may be.
func (k *fusedProduct) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	const small = 1 << 14 // elements, for which there is memory while this is worked out
	var steps []fusedStep
	var done tensor.Value
	for i := range k.parts {
		p, ok := k.parts[i].Kernel.(kernel.Preparer)
		if !ok {
			return kernel.Prepared{}, false
		}
		operands, from := make([]tensor.Value, len(k.parts[i].In)), make([]int, len(k.parts[i].In))
		for j, n := range k.parts[i].In {
			if operands[j], from[j] = done, -1; n < len(in) {
				operands[j], from[j] = in[n], n
			}
		}
		r, ok := p.Prepare(operands, 0)
		if !ok || len(r.Outs) != 1 || r.Floats == nil {
			return kernel.Prepared{}, false
		}
		dims := r.Outs[0].Dims
		if i > 0 && !slices.Equal(dims, done.Dims()) {
			return kernel.Prepared{}, false
		}
		if i == 0 {
			if n, err := tensor.NumElements(tensor.Float, dims); err != nil || n > small {
				return kernel.Prepared{}, false
			}
			t, err := tensor.New(tensor.Float, dims...)
			if err != nil {
				return kernel.Prepared{}, false
			}
			done = tensor.ValueOf(t)
		}
		steps = append(steps, fusedStep{r.Floats, from[0], from[len(from)-1]})
	}
	return kernel.OneOut(tensor.Float, done.Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
		o := tensor.Of[float32](&out[0])
		for i := range steps {
			s := &steps[i]
			x, y := o, o
			if s.x >= 0 {
				x = tensor.Of[float32](&in[s.x])
			}
			if s.y >= 0 {
				y = tensor.Of[float32](&in[s.y])
			}
			s.run(o, x, y)
		}
	})
}
