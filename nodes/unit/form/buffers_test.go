package form

import (
	"math/rand/v2"
	"testing"
)

// Buffers that are live at the same time lie apart, and the plan is not far from the least
// that is possible.
func TestBuffersLieApart(t *testing.T) {
	var planned, least int64
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		b := &Buffers{List: make([]Buffer, 1+rng.IntN(60))}
		for i := range b.List {
			from := rng.IntN(50)
			b.List[i] = Buffer{Bytes: int64(1 + rng.IntN(1<<rng.IntN(14))), From: from, To: from + rng.IntN(12)}
			b.Sum += b.List[i].Bytes
		}
		b.run()
		b.place()
		var arena int64
		for i := range b.List {
			x := &b.List[i]
			arena += class(x.Bytes)
			if x.Place < 0 || x.Place%align != 0 || x.Place+x.Bytes > b.Planned {
				t.Fatalf("seed %d: %+v is not within %d bytes", seed, *x, b.Planned)
			}
			for _, y := range b.List[:i] {
				if x.From <= y.To && y.From <= x.To && x.Place < y.Place+y.Bytes && y.Place < x.Place+x.Bytes {
					t.Fatalf("seed %d: %+v and %+v", seed, *x, y)
				}
			}
		}
		if b.Planned < b.Live || b.Arena < b.Live || b.Arena > arena {
			t.Fatalf("seed %d: live %d, planned %d, by the arena %d of %d", seed, b.Live, b.Planned, b.Arena, arena)
		}
		planned, least = planned+b.Planned, least+b.Live
	}
	if planned > least*5/4 {
		t.Errorf("plans take %d bytes where %d are live", planned, least)
	}
}
