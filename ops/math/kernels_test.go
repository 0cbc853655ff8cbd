package math_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func TestKernels(t *testing.T) {
	datadriven.Walk(t, "testdata/kernels", kerneltest.Script)
}

// einsumSlowly goes through all values of all labels.
func einsumSlowly(inputs []string, output string, lengths map[byte]int64, in []*tensor.Tensor) []int64 {
	var labels []byte
	total := int64(1)
	for l, n := range lengths {
		labels = append(labels, l)
		total *= n
	}
	offset := func(subscripts string, at map[byte]int64) int64 {
		o := int64(0)
		for _, l := range []byte(subscripts) {
			o = o*lengths[l] + at[l]
		}
		return o
	}
	size := int64(1)
	for _, l := range []byte(output) {
		size *= lengths[l]
	}
	out := make([]int64, size)
	for i := range total {
		at := map[byte]int64{}
		for _, l := range labels {
			at[l], i = i%lengths[l], i/lengths[l]
		}
		product := int64(1)
		for k, t := range in {
			x, _ := tensor.Data[int64](t)
			product *= x[offset(inputs[k], at)]
		}
		out[offset(output, at)] += product
	}
	return out
}

func TestEinsumEqualsLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := map[byte]int64{}
		var inputs []string
		var tensors []*tensor.Tensor
		for range rapid.IntRange(1, 2).Draw(t, "operands") {
			labels := rapid.StringOfN(rapid.RuneFrom([]rune("abcDe")), 0, 4, 4).Draw(t, "labels")
			var dims []int64
			size := int64(1)
			for _, l := range []byte(labels) {
				if _, ok := lengths[l]; !ok {
					lengths[l] = rapid.Int64Range(0, 4).Draw(t, "length")
				}
				dims = append(dims, lengths[l])
				size *= lengths[l]
			}
			x := make([]int64, size)
			for i := range x {
				x[i] = int64(i*7919%101) - 50
			}
			inputs = append(inputs, labels)
			tensors = append(tensors, of(t, x, dims...))
		}
		var all []byte
		for l := range lengths {
			all = append(all, l)
		}
		slices.Sort(all)
		output := ""
		if len(all) > 0 {
			output = string(rapid.SliceOfN(rapid.SampledFrom(all), 0, 4).Draw(t, "output"))
		}
		equation := strings.Join(inputs, ",") + "->" + output
		got := run(t, "Einsum", attr("equation", registry.StringAttr(equation)), tensors...)
		want := einsumSlowly(inputs, output, lengths, tensors)
		if diff := cmp.Diff(want, append([]int64{}, data[int64](t, got)...)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", equation, diff)
		}
	})
}
