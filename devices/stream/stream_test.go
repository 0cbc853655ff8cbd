package stream

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/devices"
)

// TestOrder compares what works wait for with the definition: two works that use a
// block, one of which writes it, are ordered, and what is ordered is not waited for
// again.
func TestOrder(t *testing.T) {
	type done struct {
		place  Place
		use    []Use
		before map[Place]bool // all that happens before it
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var o Order
		blocks := []*Block{{}, {}, {}}
		var all []done
		last := map[Kind]map[Place]bool{} // what a stream's next work comes after
		for range 60 {
			s := Kind(rng.IntN(int(Kinds)))
			var uses []Use
			for _, b := range blocks {
				if a := devices.Access(rng.IntN(4)); a != 0 {
					uses = append(uses, Use{b, a})
				}
			}
			place, waits := o.Add(s, uses, nil)
			before := map[Place]bool{}
			for p := range last[s] {
				before[p] = true
			}
			for _, w := range waits {
				if w.Stream == s {
					t.Fatalf("seed %d: a stream waits for itself", seed)
				}
				if o.Known(s)[w.Stream] >= w.N { // by the wait before
					continue
				}
				if before[w] {
					t.Fatalf("seed %d: %v waits for %v, which it comes after already", seed, place, w)
				}
				e := o.Last(w.Stream) // an event at the end of that stream, now
				o.Waited(s, e, o.Known(w.Stream))
				for p := range last[w.Stream] {
					before[p] = true
				}
			}
			for _, d := range all {
				for _, x := range d.use {
					for _, y := range uses {
						if x.Block == y.Block && (x.Access|y.Access)&devices.Writes != 0 && !before[d.place] {
							t.Fatalf("seed %d: nothing orders %v after %v", seed, place, d.place)
						}
					}
				}
			}
			all = append(all, done{place, slices.Clone(uses), before})
			before[place] = true
			last[s] = before
		}
	}
}

func TestClass(t *testing.T) {
	for n := int64(1); n < 1<<40; n += n/3 + 1 {
		c := Class(n)
		if c < n || c < smallest || n > smallest && c-n > n/4 || Class(c) != c {
			t.Errorf("%d bytes get %d, and these %d", n, c, Class(c))
		}
	}
}
