package kerneltest

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// checkPrepared panics unless a kernel that can be prepared does then what Run
// has done with in: it has put out out, or failed with err.
func checkPrepared(k kernel.Kernel, ctx *kernel.Context, in, out []tensor.Value, err error) {
	p, ok := k.(kernel.Preparer)
	if !ok || status.CodeOf(err) == status.ResourceExhausted {
		return
	}
	for _, constant := range []uint64{0, 1<<min(len(in), 63) - 1} {
		r, ok := p.Prepare(slices.Clone(in), constant)
		if !ok {
			continue
		}
		if err != nil || len(r.Outs) != len(out) {
			panic(fmt.Sprintf("prepared to make %d outputs, where Run makes %d and answers %v", len(r.Outs), len(out), err))
		}
		made := make([]tensor.Value, len(out))
		make := func() {
			for i, o := range r.Outs {
				if o.DType != out[i].DType() || !slices.Equal(o.Dims, out[i].Dims()) {
					panic(fmt.Sprintf("prepared to make %v%s, where Run makes %v%s", o.DType, tensor.FormatDims(o.Dims), out[i].DType(), tensor.FormatDims(out[i].Dims())))
				}
				t, err := tensor.New(o.DType, o.Dims...)
				if err != nil {
					panic(err)
				}
				made[i] = tensor.ValueOf(t)
			}
		}
		compare := func(what string) {
			for i := range made {
				if made[i].DType().HasPointers() || bytes.Equal(tensor.Bytes(&made[i]), tensor.Bytes(&out[i])) {
					continue
				}
				panic(fmt.Sprintf("%T: %s makes %v (%x), where Run makes %v (%x)", k, what, made[i].Tensor().Value(), tensor.Bytes(&made[i]), out[i].Tensor().Value(), tensor.Bytes(&out[i])))
			}
		}
		checkSum(k, in, out, constant)
		make()
		r.Run(ctx, slices.Clone(in), made)
		compare("the prepared kernel")
		if r.Floats != nil {
			make()
			r.Floats(tensor.Of[float32](&made[0]), tensor.Of[float32](&in[0]), tensor.Of[float32](&in[len(in)-1]))
			compare("the prepared kernel on floats")
		}
		for i, o := range r.Outs {
			if o.Of > 0 {
				made[i] = in[o.Of-1].Borrow(o.Start, out[i].NumElements(), o.Dims)
			}
		}
		compare("a part")
	}
}

// checkSum panics unless a kernel adds out, which Run has made of in, to what it is
// given, where it can.
func checkSum(k kernel.Kernel, in, out []tensor.Value, constant uint64) {
	s, ok := k.(kernel.Summed)
	if !ok {
		return
	}
	r, ok := s.PrepareSum(slices.Clone(in), constant)
	if !ok || r.DType != tensor.Float {
		return
	}
	t, err := tensor.New(tensor.Float, r.Dims...)
	if err != nil || !slices.Equal(r.Dims, out[0].Dims()) {
		panic(fmt.Sprintf("prepared to add a tensor of shape %v, where Run makes %v: %v", r.Dims, out[0].Dims(), err))
	}
	sum, more := tensor.ValueOf(t), tensor.Of[float32](&out[0])
	got := tensor.Of[float32](&sum)
	for i := range got {
		got[i] = float32(i%7) / 3
	}
	r.Run(in, &sum)
	for i := range got {
		if want := float32(i%7)/3 + more[i]; math.Float32bits(want) != math.Float32bits(got[i]) && want == want {
			panic(fmt.Sprintf("element %d of a sum is %v, and not %v", i, got[i], want))
		}
	}
}
