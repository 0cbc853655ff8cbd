package dataset

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("PaddedBatchDataset").
		Input("input_dataset: variant").Input("batch_size: int64").Input("padded_shapes: N * int64").
		Input("padding_values: Toutput_types").Output("handle: variant").
		Attr("Toutput_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("N: int >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of batches of elements of another, which are padded to one shape.

input_dataset: The other dataset.
batch_size: How many elements a batch has; the last may have fewer.
padded_shapes: For each component the shape; -1 for the largest dimension in the batch.
padding_values: For each component a scalar to pad with.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("PaddedBatchDatasetV2").
		Input("input_dataset: variant").Input("batch_size: int64").Input("padded_shapes: N * int64").
		Input("padding_values: Toutput_types").Input("drop_remainder: bool").Output("handle: variant").
		Attr("parallel_copy: bool = false").
		Attr("Toutput_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("N: int >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of batches of elements of another, which are padded to one shape.

input_dataset: The other dataset.
batch_size: How many elements a batch has.
padded_shapes: For each component the shape; -1 for the largest dimension in the batch.
padding_values: For each component a scalar to pad with.
drop_remainder: Whether elements that do not fill the last one are left out.
parallel_copy: Ignored.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	onto(newPadded, "PaddedBatchDataset", "PaddedBatchDatasetV2")
}

// newPadded is PaddedBatchDataset and its second form.
func newPadded(c *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	n := len(like.types)
	var drop *tensor.Value
	if len(in) > 2+2*n {
		drop = &in[2+2*n]
	}
	if len(in) < 2+2*n || len(d.types) != n {
		return nil, status.Invalid("padded_shapes, padding_values and the %d components of an element must be of the same number", len(d.types))
	}
	b, err := batchesOf(&in[1], drop)
	if err != nil {
		return nil, err
	}
	p := &padding{shapes: make([][]int64, n), values: make([]tensor.Value, n)}
	for i := range n {
		shape, value := in[2+i], in[2+n+i]
		if shape.Rank() != 1 {
			return nil, status.Invalid("All padded shapes must be vectors")
		}
		for k, size := range tensor.Of[int64](&shape) {
			if size < -1 {
				return nil, status.Invalid("dimension %d of padded shape %d is %d", k, i, size)
			}
			p.shapes[i] = append(p.shapes[i], size)
		}
		switch {
		case value.Rank() != 0:
			return nil, status.Invalid("All padding values must be scalars")
		case value.DType() != d.types[i]:
			return nil, status.Invalid("Mismatched type between padding value %d and input dataset's component %d: %v vs. %v", i, i, value.DType(), d.types[i])
		}
		p.values[i] = value.Share()
	}
	b.stack = p.stack
	return b.of(d, like), nil
}

// A padding says, component by component, to what shape elements are padded, and
// with what.
type padding struct {
	shapes [][]int64 // -1: as large as the largest
	values []tensor.Value
}

// stack makes one tensor of components, each in a corner of its row.
func (p *padding) stack(of *pass, component int, r *rows) (tensor.Value, error) {
	want := p.shapes[component]
	dims := append([]int64{int64(r.n)}, want...)
	for i, e := range r.all() {
		v := e[component]
		if v.Rank() != len(want) {
			return v, status.Invalid("All elements in a batch must have the same rank as the padded shape for component%d: expected rank %d but got element with rank %d", component, len(want), v.Rank())
		}
		for k, size := range v.Dims() {
			switch {
			case want[k] < 0:
				if i == 0 {
					dims[k+1] = 0
				}
				dims[k+1] = max(dims[k+1], size)
			case size > want[k]:
				return v, status.Errorf(status.DataLoss, "Attempted to pad to a smaller size than the input element.")
			}
		}
	}
	batch, err := of.alloc((*r.at(0))[component].DType(), dims)
	if err != nil {
		return batch, err
	}
	fill(&batch, p.values[component])
	for i, e := range r.all() {
		if v := e[component]; v.NumElements() > 0 {
			place(&batch, i, v)
		}
	}
	return batch, nil
}

// fill sets all elements to a scalar, doubling what is there.
func fill(w *tensor.Value, scalar tensor.Value) {
	n := w.NumElements()
	if n == 0 {
		return
	}
	set := func(at, count int, v tensor.Value) {
		part := w.Borrow(at, count, []int64{int64(count)})
		part.CopyFrom(v)
	}
	set(0, 1, scalar)
	for done := 1; done < n; {
		count := min(done, n-done)
		set(done, count, w.Borrow(0, count, []int64{int64(count)}))
		done += count
	}
}

// place copies v into the corner of w[i], row by row.
func place(w *tensor.Value, i int, v tensor.Value) {
	from, to := v.Dims(), w.Dims()[1:]
	row, size := 1, 1
	if len(from) > 0 {
		row = int(from[len(from)-1])
	}
	for _, d := range to {
		size *= int(d)
	}
	at := make([]int64, max(len(from)-1, 0)) // which row
	for begin := 0; begin < v.NumElements(); begin += row {
		into := 0
		for k, d := range at {
			into = into*int(to[k]) + int(d)
		}
		if len(to) > 0 {
			into *= int(to[len(to)-1])
		}
		part := w.Borrow(i*size+into, row, []int64{int64(row)})
		part.CopyFrom(v.Borrow(begin, row, []int64{int64(row)}))
		for k := len(at) - 1; k >= 0; k-- {
			if at[k]++; at[k] < from[k] {
				break
			}
			at[k] = 0
		}
	}
}
