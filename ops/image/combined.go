package image

import (
	"cmp"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return combined{c.Bool("pad_per_class"), c.Bool("clip_boxes")}, nil
	}, "CombinedNonMaxSuppression")
}

// A combined is the kernel of CombinedNonMaxSuppression.
type combined struct{ padPerClass, clip bool }

func (k combined) Run(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	boxes, scores := &in[0], &in[1]
	switch {
	case boxes.Rank() == 0 || scores.Rank() == 0 || boxes.Dim(0) != scores.Dim(0):
		return status.Invalid("boxes and scores must have same batch size")
	case boxes.Rank() != 4:
		return status.Invalid("boxes must be 4-D%s", tensor.FormatDims(boxes.Dims()))
	case scores.Rank() != 3:
		return status.Invalid("scores must be 3-D%s", tensor.FormatDims(scores.Dims()))
	}
	for i, name := range []string{"max_size_per_class", "max_total_size", "iou_threshold", "score_threshold"} {
		if in[2+i].Rank() != 0 {
			return status.Invalid("%s must be 0-D, got shape %s", name, tensor.FormatDims(in[2+i].Dims()))
		}
	}
	perClass, total := int(tensor.At0[int32](&in[2])), int(tensor.At0[int32](&in[3]))
	iou, least := tensor.At0[float32](&in[4]), tensor.At0[float32](&in[5])
	batch, n, q, classes := boxes.Dim(0), boxes.Dim(1), boxes.Dim(2), scores.Dim(2)
	switch {
	case perClass <= 0:
		return status.Invalid("max_size_per_class must be positive")
	case total <= 0:
		return status.Invalid("max_total_size must be > 0")
	case !(iou >= 0 && iou <= 1):
		return status.Invalid("iou_threshold must be in [0, 1]")
	case scores.Dim(1) != n:
		return status.Invalid("scores has incompatible shape")
	case q != 1 && q != classes:
		return status.Invalid("third dimension of boxes must be either 1 or num classes")
	case boxes.Dim(3) != 4:
		return status.Invalid("boxes must have 4 columns")
	}
	size := int64(total)
	if k.padPerClass {
		size = min(size, int64(perClass)*int64(classes))
	}
	for i, dims := range [][]int64{{int64(batch), size, 4}, {int64(batch), size}, {int64(batch), size}} {
		if out[i], err = ctx.AllocZeroed(tensor.Float, dims); err != nil {
			return err
		}
	}
	if out[3], err = ctx.AllocZeroed(tensor.Int32, []int64{int64(batch)}); err != nil {
		return err
	}
	// The boxes and the scores of one class.
	mine, err := ctx.Alloc(tensor.Float, []int64{int64(n), 5})
	if err != nil {
		return err
	}
	defer ctx.Free(mine)
	own, values := tensor.Of[float32](&mine)[:4*n], tensor.Of[float32](&mine)[4*n:]
	type detection struct {
		candidate
		class int
	}
	for b := range batch {
		var all []detection
		x, s := tensor.Of[float32](boxes)[b*n*q*4:][:n*q*4], tensor.Of[float32](scores)[b*n*classes:][:n*classes]
		for class := range classes {
			for i := range n {
				copy(own[4*i:4*i+4], x[(i*q+min(class, q-1))*4:])
				values[i] = s[i*classes+class]
			}
			taken, err := suppress(ctx, &corners{boxes: own}, values, min(perClass, n), iou, least, 0)
			if err != nil {
				return err
			}
			for _, c := range taken {
				all = append(all, detection{c, class})
			}
		}
		slices.SortStableFunc(all, func(a, b detection) int { return cmp.Compare(b.score, a.score) })
		all = all[:min(int64(len(all)), size)]
		tensor.Of[int32](&out[3])[b] = int32(len(all))
		for i, d := range all {
			at := b*int(size) + i
			to := tensor.Of[float32](&out[0])[4*at:][:4]
			copy(to, x[(d.box*q+min(d.class, q-1))*4:])
			if k.clip {
				for j := range to {
					to[j] = max(min(to[j], 1), 0)
				}
			}
			tensor.Of[float32](&out[1])[at] = d.score
			tensor.Of[float32](&out[2])[at] = float32(d.class)
		}
	}
	return ctx.Err()
}
