package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/tensor"
)

// Code computes with channels last. What has them first, behind the batch, is turned around
// on the device before and after.

// first reports whether a data format has the channels before what they are channels of.
func first(format string) bool {
	switch format {
	case "NCW", "NCHW", "NCDHW", "CHANNELS_FIRST":
		return true
	}
	return false
}

// turned returns a plan for channels last, for tensors that have them first. Of the inputs in
// those places the device's are turned around, and of the host's, which are shapes, the
// numbers; and so are the outputs in those places.
func turned(p resident.Plan, ins, outs []int) resident.Plan {
	toLast := func(in []resident.Input) []resident.Input {
		in = slices.Clone(in)
		for _, i := range ins {
			if in[i].Host == nil {
				in[i].Dims = behind(in[i].Dims)
			} else if sizes := integers(in[i].Host); len(sizes) > 2 {
				v := tensor.ValueOf(vector(behind(sizes)))
				in[i].Host = &v
			}
		}
		return in
	}
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			shapes, err := p.Shapes(toLast(in))
			if err != nil {
				return nil, err
			}
			for _, i := range outs {
				shapes[i].Dims = second(shapes[i].Dims)
			}
			return shapes, nil
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
			last, made := toLast(in), slices.Clone(out)
			for _, i := range ins {
				if in[i].Host == nil {
					last[i].Array = w.Scratch(in[i].Type, last[i].Dims...)
					w.Add(code.Transpose(last[i].Array, in[i].Array, moved(len(in[i].Dims), 1, -1)))
				}
			}
			for _, i := range outs {
				made[i] = w.Scratch(out[i].Type, behind(out[i].Dims)...)
			}
			w.Do(p, made, last)
			for _, i := range outs {
				w.Add(code.Transpose(out[i], made[i], moved(len(out[i].Dims), -1, 1)))
			}
		},
	}
}

// behind is dims with the second as the last, and second the other way round.
func behind(dims []int64) []int64 { return permuted(dims, moved(len(dims), 1, -1)) }

func second(dims []int64) []int64 { return permuted(dims, moved(len(dims), -1, 1)) }

// moved returns the permutation of dimensions that brings the one in place from to place to; −1 is
// the last.
func moved(rank, from, to int) []int {
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = i
	}
	if rank < 2 {
		return perm
	}
	from, to = (from+rank)%rank, (to+rank)%rank
	perm = slices.Delete(perm, from, from+1)
	return slices.Insert(perm, to, from)
}

func permuted(dims []int64, perm []int) []int64 {
	p := make([]int64, len(perm))
	for i, from := range perm {
		p[i] = dims[from]
	}
	return p
}

// vector returns a tensor of int64.
func vector(x []int64) *tensor.Tensor {
	t, err := tensor.FromSlice(x, int64(len(x)))
	if err != nil {
		panic(err) // there are as many as it says
	}
	return t
}
