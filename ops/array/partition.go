package array

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("DynamicPartition").
		Input("data: T").Input("partitions: int32").Output("outputs: num_partitions * T").
		Attr("num_partitions: int >= 1").
		Attr("T: type").
		Doc(`Divides the slices of a tensor among several outputs, keeping their order.

data: Slices, along the dimensions that partitions has.
partitions: The output that each slice goes to, in [0, num_partitions).
num_partitions: How many outputs.`)
	registry.Define("DynamicStitch").
		Input("indices: N * int32").Input("data: N * T").Output("merged: T").
		Attr("N: int >= 1").
		Attr("T: type").
		Doc(`Puts slices of several tensors in given places of one; of several for a place the last counts.

indices: The place of each slice; the largest says how long the result is.
data: The slices, along the dimensions of their indices.
merged: The result; a place that no index names is 0.`)
	registry.Define("ParallelDynamicStitch").
		Input("indices: N * int32").Input("data: N * T").Output("merged: T").
		Attr("N: int >= 1").
		Attr("T: type").
		Doc(`Puts slices of several tensors in given places of one; of several for a place any may count.

indices: The place of each slice; the largest says how long the result is.
data: The slices, along the dimensions of their indices.
merged: The result; what is in a place that no index names is not defined.`)

	kernel.ForTypes("DynamicPartition", "T", func(tensor.DType) kernel.Kernel { return kernel.Func(partition) }, partitionTypes...)
	kernel.ForTypes("DynamicStitch", "T", func(tensor.DType) kernel.Kernel { return kernel.Func(stitch) }, stitchTypes...)
	kernel.ForTypes("ParallelDynamicStitch", "T", func(tensor.DType) kernel.Kernel { return kernel.Func(stitch) }, stitchTypes...)

	gradient.Register(partitionGradient, "DynamicPartition")
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		lo, hi := c.Arg("data")
		for i := lo; i < hi; i++ {
			if c.Wants(i) {
				c.Set(i, c.Apply("GatherV2", c.Dy(0), c.Input(i-lo), c.Const(int32(0))))
			}
		}
	}, "DynamicStitch", "ParallelDynamicStitch")
}

// partitionGradient puts the rows back to where they were: the numbers of rows,
// partitioned alike, say where.
func partitionGradient(c *gradient.Context) {
	if !c.Wants(0) {
		return
	}
	x, partitions := c.Input(0), c.Input(1)
	numbers := c.Reshape(c.Range(c.Size(partitions)), c.Shape(partitions))
	places := c.Outputs("DynamicPartition", c.Attrs("num_partitions"), numbers, partitions)
	rows := c.Op("ParallelDynamicStitch", nil, graph.OutputList(places), c.Dys(0, c.NumOutputs()))
	c.Set(0, c.Reshape(rows, c.Shape(x)))
}

var (
	partitionTypes = slices.Concat(elementwise.Numbers, []tensor.DType{tensor.Bool, tensor.String, tensor.Resource, tensor.Variant})
	stitchTypes    = slices.Concat(elementwise.Numbers, []tensor.DType{tensor.Bool, tensor.String, tensor.Variant, tensor.Qint8, tensor.Quint8, tensor.Qint32})
)

// startsWith reports whether the first dimensions of x are those of prefix.
func startsWith(x, prefix []int64) bool {
	return len(x) >= len(prefix) && equalDims(x[:len(prefix)], prefix)
}

// sliceSize returns the number of elements of a slice of those dimensions.
func sliceSize(dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return n
}

func partition(ctx *kernel.Context, in, out []tensor.Value) error {
	x, p := in[0].Dims(), in[1].Dims()
	if !startsWith(x, p) {
		return status.Invalid("data.shape must start with partitions.shape, got data.shape = %s, partitions.shape = %s", tensor.FormatDims(x), tensor.FormatDims(p))
	}
	to := tensor.Of[int32](&in[1])
	counts := make([]int64, len(out))
	for i, k := range to {
		if k < 0 || int(k) >= len(out) {
			return status.Invalid("partitions%s = %d is not in [0, %d)", place(p, i), k, len(out))
		}
		counts[k]++
	}
	row := x[len(p):]
	for k := range out {
		var err error
		if out[k], err = ctx.Alloc(in[0].DType(), append([]int64{counts[k]}, row...)); err != nil {
			return err
		}
		counts[k] = 0
	}
	n := sliceSize(row)
	for i, k := range to {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		strided.Move(&out[k], int(counts[k])*n, &in[0], i*n, n)
		counts[k]++
	}
	return nil
}

// stitch returns the kernel of both ways: the last slice for a place counts.
func stitch(ctx *kernel.Context, in, out []tensor.Value) error {
	count := len(in) / 2
	places, data := in[:count], in[count:]
	var row []int64
	last := int32(-1)
	for k := range places {
		p, x := places[k].Dims(), data[k].Dims()
		if !startsWith(x, p) {
			return status.Invalid("data[%d].shape = %s does not start with indices[%[1]d].shape = %[3]s", k, tensor.FormatDims(x), tensor.FormatDims(p))
		}
		if k == 0 {
			row = x[len(p):]
		} else if !equalDims(x[len(p):], row) {
			return status.Invalid("Need data[0].shape[%d:] = data[%d].shape[%d:], got data[0].shape = %s, data[%[2]d].shape = %[5]s, indices[0].shape = %[6]s, indices[%[2]d].shape = %[7]s",
				places[0].Rank(), k, len(p), tensor.FormatDims(data[0].Dims()), tensor.FormatDims(x), tensor.FormatDims(places[0].Dims()), tensor.FormatDims(p))
		}
		for _, i := range tensor.Of[int32](&places[k]) {
			if i < 0 {
				return status.Invalid("indices[%d] is out of range", k)
			}
			last = max(last, i)
		}
	}
	v, err := ctx.AllocZeroed(data[0].DType(), append([]int64{int64(last) + 1}, row...))
	if err != nil {
		return err
	}
	out[0] = v
	n := sliceSize(row)
	for k := range places {
		for i, at := range tensor.Of[int32](&places[k]) {
			if i&0xffff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			strided.Move(&out[0], int(at)*n, &data[k], i*n, n)
		}
	}
	return nil
}
