package nn

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A ctcLoss is the kernel of CTCLoss: A. Graves and others, Connectionist
// Temporal Classification (2006). The blank is the last class.
type ctcLoss[T elementwise.Float] struct {
	collapse bool // repeated labels count once
	merge    bool // repeated classes of a path stand for one label
	skip     bool // examples with too many labels have no loss, rather than being an error
	dt       tensor.DType
}

func newCTCLoss[T elementwise.Float](c *kernel.Construction) (kernel.Kernel, error) {
	return &ctcLoss[T]{c.Bool("preprocess_collapse_repeated"), c.Bool("ctc_merge_repeated"), c.Bool("ignore_longer_outputs_than_inputs"), c.Type("T")}, nil
}

func (k *ctcLoss[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	c, err := ctcInputOf[T](&in[0], &in[3], status.InvalidArgument)
	if err != nil {
		return err
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	labels, err := k.labels(ctx, &c, &in[1], &in[2])
	if err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(k.dt, []int64{int64(c.batch)}); err != nil {
		return err
	}
	if out[1], err = ctx.AllocZeroed(k.dt, in[0].Dims()); err != nil {
		return err
	}
	loss, gradient := tensor.Of[T](&out[0]), c
	gradient.scores = tensor.Of[T](&out[1])
	longest := 0
	for _, l := range labels {
		longest = max(longest, 2*len(l)+1)
	}
	size := (2*c.steps+3)*longest + c.steps*c.classes + c.classes
	desk, err := kernel.NewDesk[float64](ctx, tensor.Double, min(c.batch, ctx.Step.Pool.Workers()), size)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	ctx.Parallel(c.batch, 1, func(lo, hi int) {
		memory := desk.Take()
		for b := lo; b < hi && ctx.Err() == nil; b++ {
			if n := int(c.lengths[b]); n > 0 && len(labels[b]) <= n {
				loss[b] = T(k.example(ctx, &c, &gradient, b, labels[b], memory))
			}
		}
		desk.GiveBack(memory)
	})
	return ctx.Err()
}

// labels is each example's labels, from the indices and values of a sparse
// matrix.
func (k *ctcLoss[T]) labels(ctx *kernel.Context, c *ctcInput[T], indices, values *tensor.Value) ([][]int, error) {
	for b, n := range c.lengths {
		if n < 0 {
			return nil, status.Invalid("seq_len(%d) < 0", b)
		}
	}
	if indices.Rank() != 2 {
		return nil, status.Invalid("labels_indices is not a matrix")
	}
	if indices.Dim(1) <= 1 {
		return nil, status.Invalid("labels_indices second dimension must be > 1")
	}
	if values.Rank() != 1 {
		return nil, status.Invalid("labels_values is not a vector")
	}
	if indices.Dim(0) != values.Dim(0) {
		return nil, status.Invalid("labels_indices and labels_values must contain the same number of rows, but saw shapes: %s vs. %s",
			tensor.FormatDims(indices.Dims()), tensor.FormatDims(values.Dims()))
	}
	if values.NumElements() == 0 {
		return nil, status.Invalid("labels must not be empty")
	}
	// What follows, and labels in slices that grow.
	if err := ctx.Reserve(exampleBytes*c.batch + 3*8*values.NumElements()); err != nil {
		return nil, err
	}
	all, ended := make([][]int, c.batch), make([]bool, c.batch)
	width, at := indices.Dim(1), tensor.Of[int64](indices)
	before, last := make([]int32, c.batch), int64(0)
	seen := make([]int, c.batch)
	for i, label := range tensor.Of[int32](values) {
		if i%(1<<14) == 1<<14-1 {
			ctx.Ask()
		}
		b := at[i*width]
		if b < 0 || b >= int64(c.batch) {
			return nil, status.Invalid("label SparseTensor is not valid: index %d of batch is not in [0, %d)", b, c.batch)
		}
		if b < last {
			return nil, status.Invalid("label SparseTensor is not valid: indices[%d] is out of order", i)
		}
		last = b
		repeats := seen[b] > 0 && before[b] == label
		before[b] = label
		seen[b]++
		switch {
		case k.collapse && repeats:
		case label < 0:
			return nil, status.Invalid("All labels must be nonnegative integers, batch: %d", b)
		case int(label) >= c.classes-1:
			ended[b] = true
		case ended[b]:
			return nil, status.Invalid("Saw a non-null label (index >= num_classes - 1) following a null label, batch: %d num_classes: %d", b, c.classes)
		default:
			all[b] = append(all[b], int(label))
		}
	}
	for b, n := range seen {
		if n == 0 {
			return nil, status.Invalid("Labels length is zero in batch %d", b)
		}
		if !k.skip && n > int(c.lengths[b]) {
			return nil, status.Invalid("Not enough time for target transition sequence (required: %d, available: %d)%dYou can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs", n, c.lengths[b], b)
		}
	}
	return all, nil
}

// exampleBytes is what labels needs for an example beside its labels.
const exampleBytes = 24 + 1 + 4 + 8

// example computes the loss of one example and writes its gradient. A path
// visits the labels with a blank before, between and behind them: state u is a
// blank where it is even, else label u/2.
func (k *ctcLoss[T]) example(ctx *kernel.Context, c, gradient *ctcInput[T], b int, labels []int, memory []float64) float64 {
	steps, states, blank := int(c.lengths[b]), 2*len(labels)+1, c.classes-1
	alpha, memory := memory[:steps*states], memory[steps*states:]
	beta, memory := memory[:steps*states], memory[steps*states:]
	logs, memory := memory[:steps*c.classes], memory[steps*c.classes:]
	sums, memory := memory[:c.classes], memory[c.classes:]
	stay, step, jump := memory[:states], memory[states:][:states], memory[2*states:][:states]
	class := func(u int) int {
		if u%2 == 0 {
			return blank
		}
		return labels[u/2]
	}
	// stays reports whether a path may stay in u, jumps whether it may go from u to
	// u+2.
	stays := func(u int) bool { return k.merge || u%2 == 0 }
	jumps := func(u int) bool { return u%2 == 1 && !(k.merge && labels[u/2] == labels[u/2+1]) }
	none := math.Inf(-1)
	for t := range steps {
		ctx.Ask()
		logProbabilities(logs[t*c.classes:][:c.classes], c.at(t, b))
	}
	for t := range steps {
		ctx.Ask()
		now, p := alpha[t*states:][:states], logs[t*c.classes:]
		if t > 0 {
			before := alpha[(t-1)*states:]
			for u := range now {
				stay[u], step[u], jump[u] = none, none, none
				if stays(u) {
					stay[u] = before[u]
				}
				if u > 0 {
					step[u] = before[u-1]
				}
				if u > 1 && jumps(u-2) {
					jump[u] = before[u-2]
				}
			}
			addLogs(now, stay, step, jump)
		} else {
			for u := range now {
				now[u] = none
			}
			clear(now[:min(2, states)])
		}
		for u := range now {
			now[u] += p[class(u)]
		}
	}
	for t := steps - 1; t >= 0; t-- {
		ctx.Ask()
		now := beta[t*states:][:states]
		for u := range now {
			stay[u], step[u], jump[u] = none, none, none
			if t == steps-1 {
				if u >= states-2 {
					stay[u] = 0
				}
				continue
			}
			next, p := beta[(t+1)*states:], logs[(t+1)*c.classes:]
			if stays(u) {
				stay[u] = next[u] + p[class(u)]
			}
			if u+1 < states {
				step[u] = next[u+1] + p[class(u+1)]
			}
			if u+2 < states && jumps(u) {
				jump[u] = next[u+2] + p[class(u+2)]
			}
		}
		addLogs(now, stay, step, jump)
	}
	total := none
	for u := range states {
		total = logAdd(total, alpha[u]+beta[u])
	}
	for t := range steps {
		ctx.Ask()
		clear(sums)
		if !math.IsInf(total, -1) {
			for u := range states {
				stay[u] = alpha[t*states+u] + beta[t*states+u] - total
			}
			vec.ExpFloat64s(stay, stay)
			for u, through := range stay {
				sums[class(u)] += through
			}
		}
		p := logs[t*c.classes:][:c.classes]
		vec.ExpFloat64s(p, p)
		g := gradient.at(t, b)
		for i := range g {
			g[i] = T(p[i] - sums[i])
		}
	}
	return -total
}

// logProbabilities sets o to the logarithms of softmax(x).
func logProbabilities[T elementwise.Float](o []float64, x []T) {
	most, sum := float64(largest(x)), 0.0
	for i, v := range x {
		o[i] = float64(v) - most
	}
	vec.ExpFloat64s(o, o)
	for _, e := range o {
		sum += e
	}
	log := most + math.Log(sum)
	for i, v := range x {
		o[i] = float64(v) - log
	}
}

// addLogs sets o to log(exp(x)+exp(y)+exp(z)); it overwrites these.
func addLogs(o, x, y, z []float64) {
	for i := range o {
		most := max(x[i], y[i], z[i])
		if math.IsInf(most, -1) {
			most = 0
		}
		o[i], x[i], y[i], z[i] = most, x[i]-most, y[i]-most, z[i]-most
	}
	vec.ExpFloat64s(x, x)
	vec.ExpFloat64s(y, y)
	vec.ExpFloat64s(z, z)
	for i := range x {
		x[i] += y[i] + z[i]
	}
	vec.LogFloat64s(x, x)
	for i, log := range x {
		o[i] += log
	}
}

// logAdd is log(exp(x)+exp(y)).
func logAdd(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(y, -1) {
		return x
	}
	return x + math.Log1p(math.Exp(y-x))
}
