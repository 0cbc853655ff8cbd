package streams_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// TestClasses: under a limit, memory that rests in some classes is given back to the device
// for others, and not while a stream may still use it.
func TestClasses(t *testing.T) {
	for seed := range uint64(25) {
		w := newWorld(t, seed, true, 24<<10, nil)
		rng := rand.New(rand.NewPCG(seed, 9))
		var memory []*streams.Memory
		for i := 0; i < 200 && !w.failed(); i++ {
			for range rng.IntN(4) {
				w.seeded.Step()
			}
			z, err := w.device.Alloc(t.Context(), int64(256<<rng.IntN(5)))
			if err != nil {
				w.fail(err)
				break
			}
			if len(memory) < 4 {
				w.fail(w.device.Write(t.Context(), z, make([]byte, 256)))
				memory = append(memory, z)
				continue
			}
			w.fail(w.device.Launch(mixing(memory[0], memory[1], z, 64)))
			memory[0].Release()
			memory[1].Release()
			memory = append(memory[2:], z)
		}
		err := w.driver.Load().Err()
		if w.end(); err != nil || w.failure != nil {
			t.Errorf("seed %d: %v; %v", seed, w.failure, err)
		}
	}
}

// charged opens an emulated device whose memory, and copies, are charged to a budget.
func charged(t *testing.T, limit int64) (*streams.Device, *emulated.Device, *tensor.Budget) {
	t.Helper()
	budget, driver := tensor.NewBudget(limit), emulated.New(emulated.Options{})
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) { return driver, nil }, streams.Options{Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	return d, driver, budget
}

// TestBudget: the memory of a device that has the host's, and what copies go through, is
// charged as long as the driver has it, and refused with the device's name.
func TestBudget(t *testing.T) {
	const k = 1 << 10
	d, _, budget := charged(t, 64*k)
	m, err := d.Alloc(t.Context(), 32*k)
	if err != nil || budget.Used() != 32*k {
		t.Fatal(err, budget.Used())
	}
	for range 100 { // copies under way leave room for each other
		if err := d.Write(t.Context(), m, make([]byte, 16*k)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Alloc(t.Context(), 48*k); status.CodeOf(err) != status.ResourceExhausted || !strings.Contains(err.Error(), "/device:EMULATED:0") || !strings.Contains(err.Error(), "session's limit") {
		t.Error(err)
	}
	other, err := d.Alloc(t.Context(), 256)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), m, make([]byte, 32*k)); err != nil && status.CodeOf(err) != status.ResourceExhausted {
		t.Error(err)
	}
	if err := d.Read(t.Context(), m, 32*k, nil); status.CodeOf(err) != status.ResourceExhausted || !strings.Contains(err.Error(), "/device:EMULATED:0") || !strings.Contains(err.Error(), "copy") {
		t.Error(err)
	}
	other.Release()
	m.Release()
	if err := d.Close(); err != nil || budget.Used() != 0 {
		t.Error(err, budget.Used())
	}
}

// TestBudgetLost: what a lost device had is given back.
func TestBudgetLost(t *testing.T) {
	d, driver, budget := charged(t, 1<<20)
	m, err := d.Alloc(t.Context(), 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), m, make([]byte, 1<<16)); err != nil {
		t.Fatal(err)
	}
	driver.Lose("unplugged")
	if err := d.Wait(t.Context()); err != nil && status.CodeOf(err) != status.Unavailable {
		t.Error(err)
	}
	if err := d.Close(); err != nil || budget.Used() != 0 {
		t.Error(err, budget.Used())
	}
	m.Release()
	if budget.Used() != 0 {
		t.Error(budget.Used())
	}
}

// TestStopped: a device whose own actor was stopped is not opened again, and says so.
func TestStopped(t *testing.T) {
	for _, stop := range []string{"stop", "poison"} {
		d, driver, _ := charged(t, 0)
		m, err := d.Alloc(t.Context(), 256)
		if err != nil {
			t.Fatal(err)
		}
		hold := driver.Hold()
		if err := d.Write(t.Context(), m, make([]byte, 256)); err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		if err := d.Read(t.Context(), m, 256, func(_ []byte, err error) { got <- err }); err != nil {
			t.Fatal(err)
		}
		if root := actors.System().Root; stop == "stop" {
			err = root.StopFuture(d.PID()).Wait()
		} else {
			err = root.PoisonFuture(d.PID()).Wait()
		}
		hold()
		if err != nil {
			t.Error(err)
		}
		for _, err := range []error{<-got, d.Write(t.Context(), m, make([]byte, 256))} {
			if status.CodeOf(err) != status.Unavailable || !strings.Contains(err.Error(), "/device:EMULATED:0") || !strings.Contains(err.Error(), "its actor was stopped") {
				t.Error(stop, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
