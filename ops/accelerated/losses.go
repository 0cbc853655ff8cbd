package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	small := map[string][]tensor.DType{"T": floats}
	resident.Register("SoftmaxCrossEntropyWithLogits", small, nil, func(*kernel.Construction) (resident.Plan, error) { return entropy(false), nil })
	resident.Register("SparseSoftmaxCrossEntropyWithLogits", small, nil, func(*kernel.Construction) (resident.Plan, error) { return entropy(true), nil })
}

// entropy returns the loss and the gradient of logits, whose labels are rows, which are
// broadcast with the logits, or numbers of classes.
func entropy(sparse bool) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			x, y, t := in[0].Dims, in[1].Dims, in[0].Type
			if sparse {
				if len(x) != 2 || len(y) != 1 || y[0] != x[0] {
					return nil, status.Invalid("logits and labels must fit: %s and %s", tensor.FormatDims(x), tensor.FormatDims(y))
				}
				return []resident.Shape{{Type: t, Dims: x[:1]}, {Type: t, Dims: x}}, nil
			}
			dims, err := broadcast("", in)
			if err != nil || len(dims) != 2 {
				return nil, status.Invalid("logits and labels must be broadcastable: logits_size=%s labels_size=%s", tensor.FormatDims(x), tensor.FormatDims(y))
			}
			all := []resident.Shape{{Type: t, Dims: dims[:1]}, {Type: t, Dims: dims}}
			for _, operand := range in { // each that is not as large gets a copy that is
				if !slices.Equal(operand.Dims, dims) {
					all = append(all, resident.Shape{Type: t, Dims: dims})
				}
			}
			return all, nil
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			var s sequence
			operands, copies := arrays(in), out[2:]
			for i, x := range operands {
				if len(copies) > 0 && !slices.Equal(x.Dims, out[1].Dims) {
					s.add(code.BroadcastTo(copies[0], x))
					operands[i], copies = copies[0], copies[1:]
				}
			}
			s.add(code.CrossEntropy(out[0], out[1], operands[0], operands[1]))
			return s.launches, s.err
		},
	}
}
