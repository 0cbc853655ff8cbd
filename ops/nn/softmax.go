package nn

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Softmax").
		Input("logits: T").Output("softmax: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes exp(x)/Σexp(x) over the last dimension: probabilities that add up to 1.

logits: Numbers in any range; the dimensions before the last are a batch.`)
	registry.Define("LogSoftmax").
		Input("logits: T").Output("logsoftmax: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes x - log Σexp(x) over the last dimension: the logarithms of Softmax.")
	registry.Define("SoftmaxCrossEntropyWithLogits").
		Input("features: T").Input("labels: T").Output("loss: T").Output("backprop: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the cross entropy between distributions and the softmax of logits, and its gradient.

features: Logits, one example a row.
labels: For each row a distribution, which adds up to 1; the two broadcast.
loss: The loss of each row.
backprop: The gradient with respect to features.`)
	registry.Define("SparseSoftmaxCrossEntropyWithLogits").
		Input("features: T").Input("labels: Tlabels").Output("loss: T").Output("backprop: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("Tlabels: {int32, int64} = DT_INT64").
		Doc(`Computes the cross entropy between right classes and the softmax of logits, and its gradient.

features: Logits, one example a row.
labels: The class of each row, a place in it.
loss: The loss of each row.
backprop: The gradient with respect to features.`)
	registry.Define("L2Loss").
		Input("t: T").Output("output: T").
		Traits(registry.Scalar | registry.Total).
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes half of the sum of the squares of all elements.")

	kernel.ForAll(newSoftmax, "Softmax", "LogSoftmax")
	kernel.ForAll(newCrossEntropy, "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
	kernel.ForTypes("L2Loss", "T", newL2Loss, elementwise.Floats...)
	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output { return softmaxGradient(c, y, dy) }, "Softmax")
	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output {
		return c.Sub(dy, c.Mul(sumOfRows(c, dy), c.Exp(y)))
	}, "LogSoftmax")
	gradient.Register(crossEntropyGradient, "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output { return c.Mul(x, dy) }, "L2Loss")
}

// sumOfRows returns the sums along the last axis, which stays.
func sumOfRows(c *gradient.Context, v graph.Output) graph.Output {
	return c.Op("Sum", graph.Attrs{"keep_dims": true}, v, c.Int32s(-1))
}

// softmaxGradient returns the gradient of the logits, of which y is the softmax.
func softmaxGradient(c *gradient.Context, y, dy graph.Output) graph.Output {
	return c.Mul(c.Sub(dy, sumOfRows(c, c.Mul(dy, y))), y)
}

// crossEntropyGradient: the second output is the gradient of the logits. It is
// differentiated as well, for second derivatives, but not by the labels.
func crossEntropyGradient(c *gradient.Context) {
	logits, ofLogits := c.Input(0), c.Output(1)
	each := func(dy graph.Output) graph.Output { return c.Apply("ExpandDims", dy, c.Const(int32(-1))) }
	var parts []gradient.Value
	if c.Has(0) {
		parts = append(parts, gradient.Value{Dense: c.Mul(each(c.Dy(0)), ofLogits)})
	}
	if c.Has(1) {
		parts = append(parts, gradient.Value{Dense: softmaxGradient(c, c.Apply("Softmax", logits), c.Dy(1))})
	}
	c.Set(0, c.Sum(parts).Dense)
	if c.Has(0) && c.Wants(1) {
		c.Set(1, c.Mul(each(c.Dy(0)), c.Neg(c.Apply("LogSoftmax", logits))))
	}
}

// rowGrain is the number of elements that a worker takes at a time.
const rowGrain = 1 << 13

// A softmax is the kernel of Softmax and LogSoftmax.
type softmax[T elementwise.Float] struct {
	dt  tensor.DType
	log bool
}

func newSoftmax(c *kernel.Construction) (kernel.Kernel, error) {
	log := c.Op.Name == "LogSoftmax"
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		return &softmax[float32]{dt, log}, nil
	case tensor.Double:
		return &softmax[float64]{dt, log}, nil
	default:
		return elementwise.Widen(dt, &softmax[float32]{tensor.Float, log}), nil
	}
}

func (k *softmax[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) == 0 {
		return status.Invalid("logits must have >= 1 dimension, got []")
	}
	x := tensor.Of[T](&in[0])
	v, err := ctx.ReuseOrAlloc(in, 0, k.dt, dims)
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[T](&out[0])
	if len(o) == 0 {
		return nil
	}
	n := int(dims[len(dims)-1])
	if len(o) <= rowGrain {
		for i := 0; i < len(o); i += n {
			k.row(o[i:i+n], x[i:i+n])
		}
		return nil
	}
	return k.share(ctx, o, x, n)
}

// Tile computes rows from those in their place.
func (k *softmax[T]) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	f, ok := any(k).(*softmax[float32])
	if !ok || len(in[0].Dims) == 0 {
		return t
	}
	t.Dims = in[0].Dims
	_, _, width, ok := kernel.RowsOf(t.Dims, inner)
	n := int(t.Dims[len(t.Dims)-1])
	if !ok || n == 0 {
		return t
	}
	t.Streams, t.Work = 1, 8*width
	t.New = func() kernel.Tile {
		return func(_ *kernel.Context, _, _, _ int, in [][]float32, out []float32) error {
			for i := 0; i < len(out); i += n {
				f.row(out[i:i+n], in[0][i:i+n])
			}
			return nil
		}
	}
	return t
}

// share is for more rows than one worker takes.
func (k *softmax[T]) share(ctx *kernel.Context, o, x []T, n int) error {
	ctx.Parallel(len(o)/n, max(1, rowGrain/n), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			k.row(o[i*n:(i+1)*n], x[i*n:(i+1)*n])
		}
	})
	return ctx.Err()
}

func (k *softmax[T]) row(o, x []T) {
	if k.log {
		logSoftmax(o, x)
		return
	}
	exponentials(o, x)
	multiply(o, 1/sum(o))
}

// exponentials sets o to exp(x - max(x)).
func exponentials[T elementwise.Float](o, x []T) { exponentialsBelow(o, x, largest(x)) }

// exponentialsBelow sets o to exp(x - most).
func exponentialsBelow[T elementwise.Float](o, x []T, most T) {
	if o, ok := any(o).([]float32); ok {
		vec.ExpSub(o, any(x).([]float32), float32(most))
		return
	}
	for i, x := range x {
		o[i] = T(math.Exp(float64(x - most)))
	}
}

// vectorLeast is the length from which on the vector sum pays.
const vectorLeast = 64

// largest may pass over NaN, which the exponentials bring back.
func largest[T elementwise.Float](x []T) T {
	if x, ok := any(x).([]float32); ok && len(x) >= 8 {
		return T(vec.LargestNumber(x))
	}
	most := T(math.Inf(-1))
	for _, x := range x {
		if x > most {
			most = x
		}
	}
	return most
}

func multiply[T elementwise.Float](x []T, by T) {
	if x, ok := any(x).([]float32); ok {
		vec.MulScalar(x, x, float32(by))
		return
	}
	for i := range x {
		x[i] *= by
	}
}

// sum adds in four lanes, long rows of float32 in vec's.
func sum[T elementwise.Float](x []T) T {
	if x, ok := any(x).([]float32); ok && len(x) >= vectorLeast {
		return T(vec.Sum(x))
	}
	var a, b, c, d T
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	for _, x := range x {
		a += x
	}
	return (a + b) + (c + d)
}

// logSoftmax sets o to x - max(x) - log(Σexp(x - max(x))).
func logSoftmax[T elementwise.Float](o, x []T) {
	most, total := largest(x), 0.0
	var buf [256]T // o may be x
	for rest := x; len(rest) > 0; {
		n := min(len(rest), len(buf))
		exponentialsBelow(buf[:n], rest[:n], most)
		total += float64(sum(buf[:n]))
		rest = rest[n:]
	}
	log := T(math.Log(total))
	if o, ok := any(o).([]float32); ok {
		vec.SubScalar(o, any(x).([]float32), float32(most))
		vec.SubScalar(o, o, float32(log))
		return
	}
	for i, x := range x {
		o[i] = x - most - log
	}
}

func newCrossEntropy(c *kernel.Construction) (kernel.Kernel, error) {
	sparse := c.Op.Name == "SparseSoftmaxCrossEntropyWithLogits"
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		return newCrossEntropyOf[float32](dt, sparse), nil
	case tensor.Double:
		return newCrossEntropyOf[float64](dt, sparse), nil
	default:
		return elementwise.Widen(dt, newCrossEntropyOf[float32](tensor.Float, sparse)), nil
	}
}

func newCrossEntropyOf[T elementwise.Float](dt tensor.DType, sparse bool) kernel.Kernel {
	if sparse {
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return classEntropy[T](ctx, dt, in, out) })
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return crossEntropy[T](ctx, dt, in, out) })
}

// crossEntropy returns Σ label·(log Σexp(x) - x) and softmax(x) - label of every
// row; logits and labels are broadcast together.
func crossEntropy[T elementwise.Float](ctx *kernel.Context, dt tensor.DType, in, out []tensor.Value) error {
	b, err := elementwise.NewBroadcast(in[0].Dims(), in[1].Dims())
	if err != nil || len(b.Dims) != 2 {
		return status.Invalid("logits and labels must be broadcastable to matrices: logits_size=%s labels_size=%s",
			tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()))
	}
	rows, n := int(b.Dims[0]), int(b.Dims[1])
	if out[0], err = ctx.Alloc(dt, b.Dims[:1]); err != nil {
		return err
	}
	if out[1], err = ctx.Alloc(dt, b.Dims); err != nil {
		return err
	}
	loss, back := tensor.Of[T](&out[0]), tensor.Of[T](&out[1])
	x, labels := tensor.Of[T](&in[0]), tensor.Of[T](&in[1])
	if n == 0 {
		clear(loss)
		return nil
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	if err := ctx.Reserve(2 * n * dt.Size() * min(rows, ctx.Step.Pool.Workers())); err != nil {
		return err
	}
	ctx.Parallel(rows, max(1, rowGrain/n), func(lo, hi int) {
		logits, want := make([]T, n), make([]T, n)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			b.Pairs(i*n, (i+1)*n, func(j, xi, yi int) { logits[j-i*n], want[j-i*n] = x[xi], labels[yi] })
			loss[i] = rowEntropy(back[i*n:(i+1)*n], logits, want)
		}
	})
	return ctx.Err()
}

func rowEntropy[T elementwise.Float](back, x, want []T) T {
	most := largest(x)
	exponentials(back, x)
	total := sum(back)
	log := T(math.Log(float64(total)))
	var loss T
	for i, w := range want {
		loss += w * (log - (x[i] - most)) // NaN for a class that is impossible, even without weight
		back[i] = back[i]/total - w
	}
	return loss
}

// classEntropy is crossEntropy with all of the label's weight on one class.
func classEntropy[T elementwise.Float](ctx *kernel.Context, dt tensor.DType, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) != 2 {
		return status.Invalid("logits must be 2-D, but got shape %s", tensor.FormatDims(dims))
	}
	if in[1].Rank() != 1 {
		return status.Invalid("labels must be 1-D, but got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	if int64(in[1].NumElements()) != dims[0] {
		return status.Invalid("logits and labels must have the same first dimension, got logits shape %s and labels shape %s",
			tensor.FormatDims(dims), tensor.FormatDims(in[1].Dims()))
	}
	if dims[1] <= 0 {
		return status.Invalid("Must have at least one class, but got logits shape %s", tensor.FormatDims(dims))
	}
	n := int(dims[1])
	classes := kernel.AppendInts(make([]int64, 0, dims[0]), &in[1])
	for _, k := range classes {
		if k < 0 || k >= int64(n) {
			return status.Invalid("Received a label value of %d which is outside the valid range of [0, %d).", k, n)
		}
	}
	var err error
	if out[0], err = ctx.Alloc(dt, dims[:1]); err != nil {
		return err
	}
	if out[1], err = ctx.Alloc(dt, dims); err != nil {
		return err
	}
	loss, back, x := tensor.Of[T](&out[0]), tensor.Of[T](&out[1]), tensor.Of[T](&in[0])
	ctx.Parallel(len(classes), max(1, rowGrain/n), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			row, logits, class := back[i*n:(i+1)*n], x[i*n:(i+1)*n], classes[i]
			exponentials(row, logits)
			total := sum(row)
			loss[i] = T(math.Log(float64(total))) - (logits[class] - largest(logits))
			for j := range row {
				row[j] /= total
			}
			row[class]--
		}
	})
	return ctx.Err()
}

func newL2Loss(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return kernel.Func(l2Loss[float32])
	case tensor.Double:
		return kernel.Func(l2Loss[float64])
	}
	return elementwise.Widen(dt, kernel.Func(l2Loss[float32]))
}

// l2Loss adds blocks of squares in float64.
func l2Loss[T elementwise.Float](ctx *kernel.Context, in, out []tensor.Value) error {
	x := tensor.Of[T](&in[0])
	blocks := make([]float64, (len(x)+elementwise.Grain-1)/elementwise.Grain)
	ctx.Parallel(len(blocks), 1, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			blocks[i] = sumSquares(x[i*elementwise.Grain : min((i+1)*elementwise.Grain, len(x))])
		}
	})
	tensor.SetScalar(&out[0], in[0].DType(), T(sum(blocks)/2))
	return ctx.Err()
}

// sumSquares adds squares: of float32 some hundred in that type, and what these come to in
// float64.
func sumSquares[T elementwise.Float](x []T) (total float64) {
	if x, ok := any(x).([]float32); ok {
		var room [512]float32
		for len(x) > 0 {
			b := room[:min(len(room), len(x))]
			vec.Mul(b, x[:len(b)], x[:len(b)])
			total += float64(vec.Sum(b))
			x = x[len(b):]
		}
		return total
	}
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a, b = a+float64(x[0])*float64(x[0]), b+float64(x[1])*float64(x[1])
		c, d = c+float64(x[2])*float64(x[2]), d+float64(x[3])*float64(x[3])
	}
	for _, x := range x {
		a += float64(x) * float64(x)
	}
	return (a + b) + (c + d)
}
