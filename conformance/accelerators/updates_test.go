package accelerators

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A forgetful driver leaves out what one queue is to wait for from another. Whose events are
// whose it knows from who recorded them.
type forgetful struct {
	*emulated.Device
	queue, from string // "": nothing is left out
	events      map[devices.Event]string
}

type forgetfulQueue struct {
	devices.Queue
	name string
	of   *forgetful
}

// NewQueue and a queue's calls are made by one actor after another, as streams are seeded.
func (d *forgetful) NewQueue(name string) (devices.Queue, error) {
	q, err := d.Device.NewQueue(name)
	return &forgetfulQueue{q, name, d}, err
}

func (q *forgetfulQueue) Record() (devices.Event, error) {
	e, err := q.Queue.Record()
	if err == nil {
		q.of.events[e] = q.name
	}
	return e, err
}

func (q *forgetfulQueue) Wait(e devices.Event) error {
	if q.name == q.of.queue && q.of.events[e] == q.of.from {
		return nil
	}
	return q.Queue.Wait(e)
}

// updates assigns a variable, and then again and again reads it and adds to it where it is,
// while copies of what was read are under way. It answers what the device's checker says.
func updates(t *testing.T, seed uint64, queue, from string) error {
	seeded := streams.NewSeeded(seed)
	var driver *emulated.Device
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
		d := emulated.New(emulated.Options{Seed: seed, Schedule: seeded.Schedule})
		if driver != nil {
			return d, nil // it came back
		}
		driver = d
		return &forgetful{driver, queue, from, map[devices.Event]string{}}, nil
	}, streams.Options{Seeded: seeded})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		seeded.Drain()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	p := newPlayer(t, d)
	float := registry.Attrs{typed("dtype", tensor.Float)}
	handle := p.run("VarHandleOp", registry.Attrs{typed("dtype", tensor.Float), str("shared_name", "w"), {Name: "shape", Value: registry.AttrValue{Kind: registry.KindShape}}})
	delta := list[float32](1, 2, 3)
	p.run0("AssignVariableOp", handle, p.upOnce(list[float32](0, 0, 0)))
	blocks, came := int64(0), 0
	for round := range 8 {
		token := p.taken(p.run("ReadVariableOp", float, handle))
		if err := resident.Download(t.Context(), &token, func(got *tensor.Tensor, err error) {
			if err != nil {
				return // the device has failed
			}
			came++
			if x := floats(got); from == "" && (x[0] != float32(round) || x[2] != float32(3*round)) {
				t.Errorf("seed %d, round %d: %v", seed, round, x)
			}
		}); err != nil {
			return driver.Err()
		}
		p.ctx.Free(token)
		for range seed % 5 {
			seeded.Step()
		}
		if driver.Err() != nil {
			return driver.Err()
		}
		p.run0("AssignAddVariableOp", handle, p.upOnce(delta))
		if round > 1 && from == "" && d.Statistics().Blocks != blocks {
			t.Errorf("seed %d: an update of what nobody else has takes memory: %+v", seed, d.Statistics())
		}
		blocks = d.Statistics().Blocks
	}
	seeded.Drain()
	if from == "" && came != 8 {
		t.Errorf("seed %d: %d of 8 copies came", seed, came)
	}
	return driver.Err()
}

// taken returns a value that the player gives up to its caller.
func (p *player) taken(v tensor.Value) tensor.Value {
	p.held = p.held[:len(p.held)-1]
	return v
}

// upOnce returns a tensor on the device, for the next operation alone.
func (p *player) upOnce(x *tensor.Tensor) tensor.Value { return p.taken(p.up(x)) }

// run0 runs an operation without outputs on a variable and a value, which it then gives up.
func (p *player) run0(op string, handle, v tensor.Value) {
	p.t.Helper()
	p.all(op, nil, handle, v)
	p.ctx.Free(v)
}

// Updates wait for readers, readers for updates, and both for what was copied to the device:
// the checker says so where they do not.
func TestUpdatesInOrder(t *testing.T) {
	const compute, in, out = "compute", "host-to-device", "device-to-host"
	for _, m := range []struct{ queue, from, want string }{
		{"", "", ""},
		{compute, out, "nothing orders AssignAddVariableOp"},
		{out, compute, "nothing orders read"},
		{compute, in, "nothing orders AssignAddVariableOp"},
	} {
		caught := 0
		for seed := range uint64(25) {
			err := updates(t, seed, m.queue, m.from)
			switch {
			case err == nil:
			case m.from == "" || !strings.Contains(err.Error(), m.want):
				t.Errorf("%+v, seed %d: %v", m, seed, err)
			default:
				caught++
			}
		}
		if m.from != "" && caught == 0 {
			t.Errorf("nobody notices that %s does not wait for %s", m.queue, m.from)
		}
		t.Logf("%s without %s: %d of 25", m.queue, m.from, caught)
	}
}
