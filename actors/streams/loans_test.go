package streams_test

import (
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/status"
)

// A creditor is a driver that notes if it is closed while another device's queue has a copy from
// its memory.
type creditor struct {
	devices.Accelerator
	owners map[devices.Buffer]*creditor // of all memory
	out    int                          // copies of it in queues of other devices that have not ended
	early  bool                         // it was closed while there were
}

func (c *creditor) Alloc(n int64) (devices.Buffer, error) {
	b, err := c.Accelerator.Alloc(n)
	c.owners[b] = c
	return b, err
}

func (c *creditor) Reaches(other devices.Accelerator) bool {
	if o, ok := other.(*creditor); ok {
		other = o.Accelerator
	}
	return c.Accelerator.Reaches(other)
}

func (c *creditor) Close() error {
	c.early = c.early || c.out > 0
	return c.Accelerator.Close()
}

func (c *creditor) NewQueue(name string) (devices.Queue, error) {
	q, err := c.Accelerator.NewQueue(name)
	return &creditQueue{q, c}, err
}

type creditQueue struct {
	devices.Queue
	of *creditor
}

func (q *creditQueue) Copy(dst, src devices.Buffer, n int64) error {
	if err := q.Queue.Copy(dst, src, n); err != nil {
		return err
	}
	lender := q.of.owners[src]
	end, err := q.Queue.Record()
	if err != nil || lender == q.of {
		return err
	}
	lender.out++
	end.Notify(func(error) { lender.out-- })
	return nil
}

// TestLenderIsClosedLast: whatever the schedule, a device that is closed, or lost, while another
// one's queue has copies from its memory keeps its driver until they have ended, even if the
// streams have dropped what should have waited for them; two that are closed at once as well.
func TestLenderIsClosedLast(t *testing.T) {
	met := 0
	for seed := range *lost {
		owners := map[devices.Buffer]*creditor{}
		var drivers [2]*creditor
		p := newPair(t, 2, seed, true, func(i int, d *emulated.Device) devices.Accelerator {
			drivers[i] = &creditor{Accelerator: d, owners: owners}
			return drivers[i]
		})
		var memory [2]devices.Buffer
		for i := range memory {
			m, err := p.device[i].Alloc(t.Context(), 64)
			if err == nil {
				err = p.device[i].Write(t.Context(), m, make([]byte, 64))
			}
			if err != nil {
				t.Fatal(err)
			}
			memory[i] = m
		}
		ended := 0
		for i, d := range p.device { // each has the other's
			to, err := d.Alloc(t.Context(), 64)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Bring(t.Context(), to, memory[1-i], 64, func(error) { ended++ }); err != nil {
				t.Fatal(err)
			}
		}
		for range seed { // how far they get varies
			p.seeded.Step()
		}
		if drivers[0].out+drivers[1].out > 0 {
			met++
		}
		if seed%3 == 0 {
			p.driver[0].Load().Lose("unplugged")
			if err := p.device[0].Wait(t.Context()); err != nil && status.CodeOf(err) != status.Unavailable {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		p.close()
		p.seeded.Drain()
		for i, d := range drivers {
			if d.early || d.out != 0 {
				t.Errorf("seed %d, driver %d: closed while its memory was lent: %v; %d copies have not ended", seed, i, d.early, d.out)
			}
		}
		if ended != 2 {
			t.Errorf("seed %d: of 2 copies %d were told to have ended", seed, ended)
		}
	}
	if met == 0 {
		t.Error("no device was closed while its memory was lent")
	}
}
