package session_test

import (
	"testing"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// addOne is y = x + 1.
func addOne(b *testing.B) (s *session.Session, x, y session.Output) {
	g := build(b)
	x = g.placeholder("x", session.Float)
	y = g.add("AddV2", "y", nil, x, g.constant("one", float32(1))).Output(0)
	return g.open(nil), x, y
}

func BenchmarkRun(b *testing.B) {
	s, x, y := addOne(b)
	feeds := map[session.Output]*session.Tensor{x: tensorOf(b, []float32{1, 2, 3, 4})}
	fetches := []session.Output{y}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Run(feeds, fetches, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallInto(b *testing.B) {
	s, x, y := addOne(b)
	call, err := s.MakeCallable([]session.Output{x}, []session.Output{y}, nil)
	if err != nil {
		b.Fatal(err)
	}
	in := tensorOf(b, []float32{1, 2, 3, 4})
	b.Run("callers=1", func(b *testing.B) {
		out := make([]*session.Tensor, 1)
		b.ReportAllocs()
		for b.Loop() {
			if err := call.CallInto(b.Context(), out, in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("callers=8", func(b *testing.B) {
		b.SetParallelism(8)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			out := make([]*session.Tensor, 1)
			for pb.Next() {
				if err := call.CallInto(b.Context(), out, in); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

func BenchmarkCallValues(b *testing.B) {
	s, x, y := addOne(b)
	call, err := s.MakeCallable([]session.Output{x}, []session.Output{y}, nil)
	if err != nil {
		b.Fatal(err)
	}
	in, out := []session.Value{tensor.Scalar[float32](1)}, make([]session.Value, 1)
	b.ReportAllocs()
	for b.Loop() {
		if err := call.CallValues(b.Context(), out, in); err != nil {
			b.Fatal(err)
		}
	}
}
