package streams

import (
	"math/rand/v2"
	"sync"
)

// Seeded is a dispatcher that runs one mailbox, or one turn of an emulated device, at
// a time, and chooses which by a seed: the seed is the schedule.
type Seeded struct {
	mu    sync.Mutex // of the fields; nothing is run under it
	rng   *rand.Rand
	ready []func()
}

// NewSeeded makes a dispatcher.
func NewSeeded(seed uint64) *Seeded { return &Seeded{rng: rand.New(rand.NewPCG(seed, 1))} }

// Schedule takes a function to be run later.
func (d *Seeded) Schedule(run func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready = append(d.ready, run)
}

// Throughput returns how many messages of one mailbox are handled in a row.
func (d *Seeded) Throughput() int { return 1 }

// Drain runs what is scheduled until nothing is. One goroutine calls it.
func (d *Seeded) Drain() {
	for d.Step() {
	}
}

// Step runs one of the functions that are scheduled; false if there are none.
func (d *Seeded) Step() bool {
	d.mu.Lock()
	n := len(d.ready)
	if n == 0 {
		d.mu.Unlock()
		return false
	}
	i := d.rng.IntN(n)
	run := d.ready[i]
	d.ready[i], d.ready[n-1] = d.ready[n-1], nil
	d.ready = d.ready[:n-1]
	d.mu.Unlock()
	run()
	return true
}
