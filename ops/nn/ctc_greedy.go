package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForType("CTCGreedyDecoder", "T", tensor.Float, newGreedy[float32])
	kernel.ForType("CTCGreedyDecoder", "T", tensor.Double, newGreedy[float64])
	kernel.ForType("CTCLoss", "T", tensor.Float, newCTCLoss[float32])
	kernel.ForType("CTCLoss", "T", tensor.Double, newCTCLoss[float64])
}

// A ctcInput is scores by time, example and class, and how much of the time
// each example takes.
type ctcInput[T elementwise.Float] struct {
	steps, batch, classes int
	scores                []T
	lengths               []int32
}

// ctcInputOf checks the inputs; lengths that do not fit are an error of that
// code.
func ctcInputOf[T elementwise.Float](inputs, lengths *tensor.Value, code status.Code) (c ctcInput[T], err error) {
	if inputs.Rank() != 3 {
		return c, status.Invalid("inputs is not a 3-Tensor")
	}
	if lengths.Rank() != 1 {
		return c, status.Invalid("sequence_length is not a vector")
	}
	c = ctcInput[T]{inputs.Dim(0), inputs.Dim(1), inputs.Dim(2), tensor.Of[T](inputs), tensor.Of[int32](lengths)}
	if c.steps == 0 {
		return c, status.Invalid("max_time is 0")
	}
	if c.batch == 0 {
		return c, status.Invalid("batch_size must not be 0")
	}
	if c.classes == 0 {
		return c, status.Invalid("num_classes cannot be 0")
	}
	if len(c.lengths) != c.batch {
		return c, status.Errorf(code, "len(sequence_length) != batch_size.  len(sequence_length):  %d batch_size: %d", len(c.lengths), c.batch)
	}
	for b, n := range c.lengths {
		if int(n) > c.steps {
			return c, status.Errorf(code, "sequence_length(%d) <= %d", b, c.steps)
		}
	}
	return c, nil
}

// at returns the scores of an example at one step.
func (c *ctcInput[T]) at(t, b int) []T { return c.scores[(t*c.batch+b)*c.classes:][:c.classes] }

// A greedy is the kernel of CTCGreedyDecoder.
type greedy[T elementwise.Float] struct {
	merge bool
	blank int64
	dt    tensor.DType
}

func newGreedy[T elementwise.Float](c *kernel.Construction) (kernel.Kernel, error) {
	return greedy[T]{c.Bool("merge_repeated"), c.Int("blank_index"), c.Type("T")}, nil
}

func (k greedy[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	c, err := ctcInputOf[T](&in[0], &in[1], status.FailedPrecondition)
	if err != nil {
		return err
	}
	blank := k.blank
	if blank < 0 {
		blank += int64(c.classes)
	}
	if blank < 0 || blank >= int64(c.classes) {
		return status.Invalid("blank_index expected to be between %d and %d, but was %d", -c.classes, c.classes-1, k.blank)
	}
	if out[3], err = ctx.AllocZeroed(k.dt, []int64{int64(c.batch), 1}); err != nil {
		return err
	}
	logs := tensor.Of[T](&out[3])
	defer ctx.UnreserveTo(ctx.Reserved())
	var places, values []int64
	var credit kernel.Credit
	longest := int64(0)
	for b, n := range c.lengths {
		if err := ctx.Err(); err != nil {
			return err
		}
		before, count := -1, int64(0)
		for t := range int(n) {
			if !credit.Spend(ctx, 8+c.classes) {
				return ctx.Err()
			}
			best := 0
			row := c.at(t, b)
			for i, x := range row {
				if x > row[best] {
					best = i
				}
			}
			logs[b] -= row[best]
			if int64(best) != blank && !(k.merge && best == before) {
				if places, err = kernel.Grow(ctx, places, 2); err == nil {
					values, err = kernel.Grow(ctx, values, 1)
				}
				if err != nil {
					return err
				}
				places, values = append(places, int64(b), count), append(values, int64(best))
				count++
			}
			before = best
		}
		longest = max(longest, count)
	}
	for i, v := range []struct {
		x    []int64
		dims []int64
	}{{places, []int64{int64(len(values)), 2}}, {values, []int64{int64(len(values))}}, {[]int64{int64(c.batch), longest}, []int64{2}}} {
		if out[i], err = ctx.Alloc(tensor.Int64, v.dims); err != nil {
			return err
		}
		copy(tensor.Of[int64](&out[i]), v.x)
	}
	return nil
}
