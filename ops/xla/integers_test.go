package xla_test

import (
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Products of integers of all sizes wrap around as those of Go do.
func TestIntegers(t *testing.T) {
	wraps[int8](t, tensor.Int8)
	wraps[int16](t, tensor.Int16)
	wraps[int32](t, tensor.Int32)
	wraps[int64](t, tensor.Int64)
	wraps[uint8](t, tensor.Uint8)
	wraps[uint16](t, tensor.Uint16)
	wraps[uint32](t, tensor.Uint32)
	wraps[uint64](t, tensor.Uint64)
}

func wraps[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](t *testing.T, dt tensor.DType) {
	const m, k, n = 2, 5, 3
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(random.Uint64())
		}
		return x
	}
	a, b := draw(m*k), draw(k*n)
	want := make([]T, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				want[i*n+j] += a[i*k+l] * b[l*n+j]
			}
		}
	}
	left, err := tensor.FromSlice(a, m, k)
	if err != nil {
		t.Fatal(err)
	}
	right, err := tensor.FromSlice(b, k, n)
	if err != nil {
		t.Fatal(err)
	}
	product, err := tensor.FromSlice(want, m, n)
	if err != nil {
		t.Fatal(err)
	}
	contracting := "\x0a\x01\x01\x12\x01\x00" // dimension 1 of the one, 0 of the other
	typ := registry.TypeAttr(dt)
	for op, attrs := range map[string]registry.Attrs{
		"XlaDot":   registry.Attrs{}.With("T", typ),
		"XlaDotV2": registry.Attrs{}.With("LhsT", typ).With("RhsT", typ).With("preferred_element_type", typ),
	} {
		attrs = attrs.With("dimension_numbers", registry.StringAttr(contracting)).With("precision_config", registry.StringAttr(""))
		got, err := kerneltest.Run(op, attrs, left, right)
		if err == nil {
			err = tensor.Compare(got[0], product, tensor.Tolerance{})
		}
		if err != nil {
			t.Errorf("%s of %v: %v", op, dt, err)
		}
	}
}
