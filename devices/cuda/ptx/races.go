package ptx

// A races finds accesses of different threads of a block to the same shared memory, one of
// them a write, with no barrier between them. Memory is looked at in words of 4 bytes where
// accesses are words, else byte by byte; there are no other means of order than barriers.
type races struct {
	phase uint32 // barriers so far, from 1
	of    []touched
}

// A touched records the last accesses to a byte: by which threads, in which phases.
type touched struct {
	wrote, read    uint32 // the phases
	writer, reader uint16 // threads
	several        bool   // others have read it in the phase
}

func newRaces(bytes int) races { return races{1, make([]touched, bytes)} }

// barrier begins another phase.
func (r *races) barrier() { r.phase++ }

// access takes an access down. It returns a thread that it races with, or -1.
func (r *races) access(at, size uint64, thread int, write bool) int {
	step := uint64(1)
	if size >= 4 {
		step = 4
	}
	id := uint16(thread)
	for i := at; i < at+size; i += step {
		t := &r.of[i]
		if t.wrote == r.phase && t.writer != id {
			return int(t.writer)
		}
		if !write {
			switch {
			case t.read != r.phase:
				t.read, t.reader, t.several = r.phase, id, false
			case t.reader != id:
				t.several = true
			}
			continue
		}
		if t.read == r.phase && (t.several || t.reader != id) {
			return int(t.reader)
		}
		t.wrote, t.writer = r.phase, id
	}
	return -1
}
