package image

import (
	"math"
	"unsafe"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return &suppression{iou: c.Float("iou_threshold")}, nil
	}, "NonMaxSuppression")
	registry.Define("NonMaxSuppressionWithOverlaps").
		Input("overlaps: float").Input("scores: float").Input("max_output_size: int32").
		Input("overlap_threshold: float").Input("score_threshold: float").Output("selected_indices: int32").
		Doc(`Selects boxes in the order of their scores, leaving out those that overlap too much with one that was selected.

overlaps: How much each pair of boxes overlaps, in whatever measure.
scores: The boxes' scores.
max_output_size: The most boxes to select, a scalar.
overlap_threshold: Boxes that overlap more than this are left out.
score_threshold: Boxes of this score or a lower one are left out.
selected_indices: The boxes that were selected.`)
	shape.Register(shape.Rule("overlaps: [n,n], scores: [n], max_output_size: [], overlap_threshold: [], score_threshold: [] -> selected_indices: [?]"), "NonMaxSuppressionWithOverlaps")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return &suppression{inputs: true, matrix: true}, nil
	}, "NonMaxSuppressionWithOverlaps")
	for _, op := range []string{"NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5"} {
		for _, dt := range []tensor.DType{tensor.Float, tensor.Half} {
			kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
				k := &suppression{inputs: true, pad: c.Bool("pad_to_max_output_size")}
				if dt == tensor.Half || c.Attrs.Find("T_threshold") != nil && c.Type("T_threshold") == tensor.Half {
					return elementwise.Widen(tensor.Half, k), nil
				}
				return k, nil
			})
		}
	}

	gradient.None("NonMaxSuppressionWithOverlaps")
}

// A suppression is the kernel of NonMaxSuppression in all versions: it takes
// boxes in the order of their scores and leaves out, or from V5 on lowers the
// score of, those that overlap one already taken.
type suppression struct {
	iou    float32
	inputs bool // thresholds are inputs
	pad    bool
	matrix bool // the first input is how much boxes overlap, not the boxes
}

// A candidate is a box that may be taken.
type candidate struct {
	box   int
	score float32
	seen  int // how many of those taken it has been compared with
}

// Candidates are a heap with the greatest score on top; of equal ones, the
// first box.
type candidates struct {
	ctx   *kernel.Context // asked now and then
	list  []candidate
	swaps int
}

func (c *candidates) before(i, j int) bool {
	a, b := &c.list[i], &c.list[j]
	return a.score > b.score || a.score == b.score && a.box < b.box
}

func (c *candidates) swap(i, j int) {
	if c.swaps++; c.swaps%(1<<13) == 0 {
		c.ctx.Ask()
	}
	c.list[i], c.list[j] = c.list[j], c.list[i]
}

// down lets the candidate at i sink to its place.
func (c *candidates) down(i int) {
	for {
		first := 2*i + 1
		if first >= len(c.list) {
			return
		}
		if second := first + 1; second < len(c.list) && c.before(second, first) {
			first = second
		}
		if !c.before(first, i) {
			return
		}
		c.swap(i, first)
		i = first
	}
}

// order makes the list a heap.
func (c *candidates) order() {
	for i := len(c.list)/2 - 1; i >= 0; i-- {
		c.down(i)
	}
}

func (c *candidates) pop() candidate {
	last := len(c.list) - 1
	c.swap(0, last)
	x := c.list[last]
	c.list = c.list[:last]
	c.down(0)
	return x
}

func (c *candidates) push(x candidate) {
	c.list = append(c.list, x)
	for i := len(c.list) - 1; i > 0 && c.before(i, (i-1)/2); i = (i - 1) / 2 {
		c.swap(i, (i-1)/2)
	}
}

func (k *suppression) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[2].Rank() != 0 {
		return status.Invalid("max_output_size must be 0-D, got shape %s", tensor.FormatDims(in[2].Dims()))
	}
	most, iou, least, sigma := int(tensor.At0[int32](&in[2])), k.iou, float32(-math.MaxFloat32), float32(0)
	for i, p := range []*float32{&iou, &least, &sigma} {
		if !k.inputs || 3+i >= len(in) {
			break
		}
		if in[3+i].Rank() != 0 {
			return status.Invalid("%s must be 0-D, got shape %s", []string{"iou_threshold", "score_threshold", "soft_nms_sigma"}[i], tensor.FormatDims(in[3+i].Dims()))
		}
		*p = tensor.At0[float32](&in[3+i])
	}
	if !k.matrix && !(iou >= 0 && iou <= 1) {
		return status.Invalid("iou_threshold must be in [0, 1]")
	}
	if !(sigma >= 0) {
		return status.Invalid("soft_nms_sigma_val must be >= 0")
	}
	if in[0].Rank() != 2 {
		return status.Invalid("boxes must be 2-D%s", tensor.FormatDims(in[0].Dims()))
	}
	n := in[0].Dim(0)
	if k.matrix && in[0].Dim(1) != n {
		return status.Invalid("overlaps must be square%s", tensor.FormatDims(in[0].Dims()))
	}
	if !k.matrix && in[0].Dim(1) != 4 {
		return status.Invalid("boxes must have 4 columns")
	}
	if in[1].Rank() != 1 {
		return status.Invalid("scores must be 1-D%s", tensor.FormatDims(in[1].Dims()))
	}
	if in[1].Dim(0) != n {
		return status.Invalid("scores has incompatible shape")
	}
	if most < 0 {
		return status.Invalid("output size must be non-negative")
	}
	boxes := tensor.Of[float32](&in[0])
	var overlaps overlapping = &corners{boxes: boxes}
	if k.matrix {
		overlaps = &matrix{overlaps: boxes, n: n}
	}
	taken, err := suppress(ctx, overlaps, tensor.Of[float32](&in[1]), min(most, n), iou, least, sigma)
	if err != nil {
		return err
	}
	return k.put(ctx, out, taken, most)
}

// put makes the outputs: places, scores where there are three outputs, and how
// many of them count where there are two.
func (k *suppression) put(ctx *kernel.Context, out []tensor.Value, taken []candidate, most int) (err error) {
	size := len(taken)
	if k.pad {
		size = most
	}
	if out[0], err = ctx.AllocZeroed(tensor.Int32, []int64{int64(size)}); err != nil {
		return err
	}
	for i, c := range taken {
		tensor.Of[int32](&out[0])[i] = int32(c.box)
	}
	if len(out) == 3 {
		if out[1], err = ctx.AllocZeroed(tensor.Float, []int64{int64(size)}); err != nil {
			return err
		}
		for i, c := range taken {
			tensor.Of[float32](&out[1])[i] = c.score
		}
	}
	if len(out) > 1 {
		out[len(out)-1] = tensor.Scalar(int32(len(taken)))
	}
	return nil
}

// suppress takes up to most boxes of scores above least.
func suppress(ctx *kernel.Context, boxes overlapping, scores []float32, most int, iou, least, sigma float32) ([]candidate, error) {
	size := (len(scores)+most)*int(unsafe.Sizeof(candidate{})) + most*int(unsafe.Sizeof(rectangle{}))
	if err := ctx.Reserve(size); err != nil {
		return nil, err
	}
	defer ctx.Unreserve(size)
	queue := candidates{ctx: ctx, list: make([]candidate, 0, len(scores))}
	for i, s := range scores {
		if i%(1<<14) == 1<<14-1 {
			ctx.Ask()
		}
		if s > least {
			queue.list = append(queue.list, candidate{box: i, score: s})
		}
	}
	queue.order()
	taken := make([]candidate, 0, most)
	boxes.begin(most)
	for len(taken) < most && len(queue.list) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := queue.pop()
		if sigma > 0 {
			before := next.score
			for j := len(taken) - 1; j >= next.seen && next.score > least; j-- {
				overlap := boxes.overlap(next.box, j)
				next.score *= float32(math.Exp(float64(-0.5 / sigma * overlap * overlap)))
			}
			if next.seen = len(taken); next.score != before {
				if next.score > least {
					queue.push(next)
				}
				continue
			}
		} else if iou != iou && len(taken) > 0 || boxes.overlapsMore(next.box, iou) {
			continue
		}
		taken = append(taken, next)
		boxes.take(next.box)
	}
	return taken, nil
}
