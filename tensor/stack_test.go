package tensor

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A pile against a slice of slices: contents of many sizes come back, the last one
// first, and the memory is within a block of twice what is there.
func TestPile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p Stack
	var want [][]byte
	total := 0
	for range 20_000 {
		push := r.IntN(100) < 52
		if r.IntN(1000) == 0 { // down to the ground, now and then
			push = false
			for len(want) > 1 {
				total -= popped(t, &p, &want)
			}
		}
		if !push && len(want) > 0 {
			total -= popped(t, &p, &want)
			continue
		}
		v := bytesOf(t, 1+r.IntN(1<<r.IntN(15)))
		for i, b := 0, Bytes(&v); i < len(b); i++ {
			b[i] = byte(r.Uint32())
		}
		needs, before := p.Needs(v.SizeBytes()), p.Bytes()
		p.Push(&v)
		if p.Bytes() != before+needs {
			t.Fatalf("%d bytes more, not %d as it said", p.Bytes()-before, needs)
		}
		want = append(want, bytes.Clone(Bytes(&v)))
		total += v.SizeBytes()
		if p.Bytes() > 4*total+6<<14 {
			t.Fatalf("%d bytes for contents of %d", p.Bytes(), total)
		}
	}
	var all []byte
	p.Contents(func(b []byte) { all = append(all, b...) })
	if !bytes.Equal(all, bytes.Join(want, nil)) {
		t.Error("contents differ")
	}
	if p.Clear(); p.Bytes() != 0 {
		t.Errorf("%d bytes in an empty pile", p.Bytes())
	}
}

func bytesOf(t *testing.T, n int) Value {
	x, err := New(Uint8, int64(n))
	if err != nil {
		t.Fatal(err)
	}
	return ValueOf(x)
}

func popped(t *testing.T, p *Stack, want *[][]byte) int {
	last := len(*want) - 1
	v := bytesOf(t, len((*want)[last]))
	p.Pop(&v)
	if !bytes.Equal(Bytes(&v), (*want)[last]) {
		t.Fatalf("content %d differs", last)
	}
	*want = (*want)[:last]
	return v.SizeBytes()
}
