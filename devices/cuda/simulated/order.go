package simulated

// A clock is how far each stream has come, by its number.
type clock []uint64

func (c clock) at(stream int) uint64 {
	if stream < len(c) {
		return c[stream]
	}
	return 0
}

// join returns the later of both, for each stream.
func (c clock) join(d clock) clock {
	for len(c) < len(d) {
		c = append(c, 0)
	}
	for i, n := range d {
		c[i] = max(c[i], n)
	}
	return c
}

// A history has the last accesses to memory, by stream.
type history struct {
	writes, reads map[int]access
}

type access struct {
	n    uint64
	name string
	of   *context
}

// use checks that a work comes after all that it conflicts with, and records it. It is
// the work's turn: what would have to come after it has not been there yet. The machine is
// locked.
func (m *Machine) use(x *memory, w *work, write bool) {
	h := &x.history
	if h.writes == nil {
		h.writes, h.reads = map[int]access{}, map[int]access{}
	}
	after := w.clock
	if x.host {
		after = w.told
	}
	check := func(all map[int]access, did string) {
		for stream, a := range all {
			if stream != w.stream.number && a.n > after.at(stream) {
				does := "reads"
				if write {
					does = "writes"
				}
				var unless []*context
				if did == "reads" && a.of != w.stream.context { // a copy to another device
					unless = []*context{a.of, x.context}
				}
				m.mistakeUnless(unless, "nothing orders %s of stream %d, which %s memory at %#x, after %s of stream %d, which %s it", w.name, w.stream.number, does, x.address, a.name, stream, did)
			}
		}
	}
	check(h.writes, "writes")
	if write {
		check(h.reads, "reads")
		h.writes[w.stream.number] = access{w.n, w.name, w.stream.context}
	} else {
		h.reads[w.stream.number] = access{w.n, w.name, w.stream.context}
	}
}
