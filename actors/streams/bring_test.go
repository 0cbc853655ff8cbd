package streams_test

import (
	"context"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/status"
)

// A pair is devices that copy from each other, and what their memory ought to hold.
type pair struct {
	t      testing.TB
	device []*streams.Device
	driver []*atomic.Pointer[emulated.Device]
	seeded *streams.Seeded
	rng    *rand.Rand
	cells  []cell
	// careful says that nobody uses a copy before it is told to be there, as it may never be.
	careful bool
	open    atomic.Int64 // calls of done that are due
	wrong   atomic.Int64

	mu      sync.Mutex
	failure error
}

// A cell is memory of a device.
type cell struct {
	at     int
	memory *streams.Memory
	want   []uint32
	came   *atomic.Bool // nil: it was not brought
}

// newPair opens emulated devices, seeded or not; wrap may put something between each and
// its actors.
func newPair(t testing.TB, n int, seed uint64, deterministic bool, wrap func(i int, d *emulated.Device) devices.Accelerator) *pair {
	p := &pair{t: t, rng: rand.New(rand.NewPCG(seed, 11))}
	if deterministic {
		p.seeded = streams.NewSeeded(seed)
	}
	for i := range n {
		o := emulated.Options{Seed: seed + 1000*uint64(i), ID: i}
		if deterministic {
			o.Schedule = p.seeded.Schedule
		}
		driver := new(atomic.Pointer[emulated.Device])
		d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
			fresh := emulated.New(o)
			first := driver.Swap(fresh) == nil
			if wrap != nil && first {
				return wrap(i, fresh), nil
			}
			return fresh, nil
		}, streams.Options{Seeded: p.seeded})
		if err != nil {
			t.Fatal(err)
		}
		p.device, p.driver = append(p.device, d), append(p.driver, driver)
	}
	return p
}

func (p *pair) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure == nil {
		p.failure = err
	}
}

func (p *pair) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

const cellWords = 64

// fresh is another cell on a device.
func (p *pair) fresh(at int, want []uint32) *streams.Memory {
	m, err := p.device[at].Alloc(context.Background(), 4*cellWords)
	if err != nil {
		p.fail(err)
		return nil
	}
	p.cells = append(p.cells, cell{at, m, want, nil})
	return m
}

// there returns how many cells can be used.
func (p *pair) there() (n int) {
	for _, c := range p.cells {
		if c.came == nil || c.came.Load() {
			n++
		}
	}
	return n
}

// bring hands a copy over to memory that has a cell.
func (p *pair) bring(c *cell, from *streams.Memory) {
	done, came := p.due(), new(atomic.Bool)
	if p.careful {
		c.came = came
	}
	p.fail(p.device[c.at].Bring(context.Background(), c.memory, from, 4*cellWords, func(err error) {
		came.Store(err == nil)
		done(err)
	}))
}

// due returns what is called when something that was handed over is done.
func (p *pair) due() func(error) {
	p.open.Add(1)
	var once atomic.Bool
	return func(err error) {
		if once.Swap(true) {
			p.t.Error("done is called twice")
		}
		p.fail(err)
		p.open.Add(-1)
	}
}

// act hands over n random works: writes, launches, copies between devices and within them,
// reads, and releases.
func (p *pair) act(n int) {
	for range n {
		if p.seeded != nil {
			for range p.rng.IntN(16) { // the devices get on meanwhile
				p.seeded.Step()
			}
		}
		if p.failed() != nil {
			return
		}
		some := func() int {
			for {
				if i := p.rng.IntN(len(p.cells)); p.cells[i].came == nil || p.cells[i].came.Load() {
					return i
				}
			}
		}
		switch k := p.rng.IntN(12); {
		case p.there() < 3 || k < 2: // write
			v := make([]uint32, cellWords)
			for i := range v {
				v[i] = p.rng.Uint32()
			}
			if len(p.cells) > 8 { // over what is there
				c := &p.cells[some()]
				c.want = v
				p.fail(p.device[c.at].Write(context.Background(), c.memory, encode(v)))
			} else if at := p.rng.IntN(len(p.device)); p.fresh(at, v) != nil {
				p.fail(p.device[at].Write(context.Background(), p.cells[len(p.cells)-1].memory, encode(v)))
			}
		case k < 5: // launch, also where it is
			c := p.cells[some()]
			v := make([]uint32, cellWords)
			for i := range v {
				v[i] = 4 * c.want[i]
			}
			if k == 2 {
				for i := range p.cells {
					if p.cells[i].memory == c.memory {
						p.cells[i].want = v
					}
				}
				p.fail(p.device[c.at].Launch(inPlace(c.memory)))
			} else if m := p.fresh(c.at, v); m != nil {
				p.fail(p.device[c.at].Launch(mixing(c.memory, c.memory, m, cellWords)))
			}
		case k < 9: // copy to a device, over what is there or not
			from := p.cells[some()]
			if k == 5 {
				to := &p.cells[some()]
				if to.memory != from.memory {
					to.want = from.want
					p.bring(to, from.memory)
				}
			} else if at := p.rng.IntN(len(p.device)); p.fresh(at, from.want) != nil {
				p.bring(&p.cells[len(p.cells)-1], from.memory)
			}
		case k < 10:
			p.read(p.cells[some()])
		default:
			i := some()
			p.cells[i].memory.Release()
			p.cells = slices.Delete(p.cells, i, i+1)
		}
	}
}

// quadruple makes four times what is there.
var quadruple = &devices.Code{Entry: "quadruple", Emulate: func(l *devices.Launch, m [][]byte) error {
	for i := range cellWords {
		binary.LittleEndian.PutUint32(m[0][4*i:], 4*binary.LittleEndian.Uint32(m[0][4*i:]))
	}
	return nil
}}

func inPlace(m devices.Buffer) *devices.Launch {
	return &devices.Launch{Code: quadruple, Groups: [3]int{1, 1, 1}, Size: [3]int{1, 1, 1}, Args: []devices.Arg{{Buffer: m, Access: devices.Reads | devices.Writes}}}
}

func (p *pair) read(c cell) {
	done := p.due()
	if err := p.device[c.at].Read(context.Background(), c.memory, 4*cellWords, func(b []byte, err error) {
		if err == nil && !slices.Equal(decode(b), c.want) {
			p.wrong.Add(1)
		}
		done(err)
	}); err != nil {
		p.open.Add(-1)
		p.fail(err)
	}
}

// end reads all memory, waits, and closes the devices.
func (p *pair) end() {
	for _, c := range p.cells {
		p.read(c)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, d := range p.device {
		p.fail(d.Wait(ctx))
	}
	p.close()
}

func (p *pair) close() {
	for _, d := range p.device {
		if err := d.Close(); err != nil {
			p.t.Error(err)
		}
	}
}

var works = flag.Uint64("works", 40, "under how many seeds TestBring plays random works")

// TestBring: whatever the schedule, values that go between devices are right, nothing is
// unordered, and memory is given back.
func TestBring(t *testing.T) {
	seeds := *works
	if testing.Short() {
		seeds = 15
	}
	for seed := range seeds {
		p := newPair(t, 2+int(seed%2), seed, seed%5 != 0, nil)
		p.act(150)
		for i := range p.cells {
			p.read(p.cells[i])
			p.cells[i].memory.Release()
		}
		p.cells = nil
		p.end()
		for _, d := range p.device {
			if s := d.Statistics(); s.InUse != 0 || s.Blocks != 0 {
				t.Errorf("seed %d: %+v", seed, s)
			}
		}
		for _, d := range p.driver {
			if err := d.Load().Err(); p.failure != nil || p.wrong.Load() > 0 || p.open.Load() != 0 || err != nil && !strings.Contains(err.Error(), "closed") {
				t.Errorf("seed %d: %v, %d wrong, %d open; %v", seed, p.failure, p.wrong.Load(), p.open.Load(), err)
			}
		}
	}
}

// A stranger is a driver that reaches nobody.
type stranger struct{ *emulated.Device }

func (stranger) Reaches(devices.Accelerator) bool { return false }

// TestBringByHost: where a driver does not reach another's memory, values are the same.
func TestBringByHost(t *testing.T) {
	for seed := range uint64(6) {
		p := newPair(t, 2, seed, seed%2 == 0, func(_ int, d *emulated.Device) devices.Accelerator { return stranger{d} })
		p.actByHost()
		p.end()
		if p.failure != nil || p.wrong.Load() > 0 || p.open.Load() != 0 {
			t.Errorf("seed %d: %v, %d wrong, %d open", seed, p.failure, p.wrong.Load(), p.open.Load())
		}
	}
}

// actByHost copies round the devices. By the host a copy is handed to the receiver when the
// source has been read, so who reads it, or writes the source, waits for that.
func (p *pair) actByHost() {
	v := make([]uint32, cellWords)
	for i := range v {
		v[i] = p.rng.Uint32()
	}
	m := p.fresh(0, v)
	p.fail(p.device[0].Write(context.Background(), m, encode(v)))
	for at := range 5 {
		to := p.fresh((at+1)%2, v)
		done := make(chan error, 1)
		p.fail(p.device[(at+1)%2].Bring(context.Background(), to, m, 4*cellWords, func(err error) { done <- err }))
		if p.seeded != nil {
			p.seeded.Drain()
		}
		p.fail(<-done)
		m = to
	}
}

// TestBringLost: a device that is lost while others copy from it, or to it, ends these copies
// with UNAVAILABLE and its name, and nothing else: the others have what they had.
func TestBringLost(t *testing.T) {
	for seed := range *lost {
		p := newPair(t, 2, seed, seed%4 != 0, nil)
		p.careful = true
		p.act(20 + int(seed%60))
		gone := int(seed % 2)
		if err := p.failed(); err != nil {
			t.Fatal(err)
		}
		before := p.device[gone].Attributes().Incarnation
		p.driver[gone].Load().Lose("unplugged")
		for p.device[gone].Attributes().Incarnation == before { // works find out
			if m, err := p.device[gone].Alloc(t.Context(), 4); err == nil {
				p.device[gone].Write(context.Background(), m, make([]byte, 4))
			}
			if p.seeded != nil {
				p.seeded.Drain()
			}
		}
		if err := p.device[1-gone].Wait(t.Context()); err != nil {
			t.Errorf("seed %d: the other device: %v", seed, err)
		}
		if err := p.failed(); p.open.Load() != 0 || p.wrong.Load() > 0 || err != nil && (status.CodeOf(err) != status.Unavailable || !strings.Contains(err.Error(), p.device[gone].Attributes().Name)) {
			t.Errorf("seed %d: %v; %d open, %d wrong", seed, err, p.open.Load(), p.wrong.Load())
		}
		p.cells, p.failure = nil, nil
		p.act(40) // with the next incarnation
		p.end()
		if err := p.driver[1-gone].Load().Err(); p.failure != nil || p.wrong.Load() > 0 || err != nil && !strings.Contains(err.Error(), "closed") {
			t.Errorf("seed %d, the next life: %v, %d wrong; %v", seed, p.failure, p.wrong.Load(), err)
		}
	}
}

// TestBringRefused: what was never made cannot be copied, and what cannot be a copy is told.
func TestBringRefused(t *testing.T) {
	p := newPair(t, 2, 3, true, nil)
	x, y := p.fresh(0, nil), p.fresh(1, nil)
	l := mixing(x, x, x, cellWords)
	l.Code = &devices.Code{Entry: "unknown"}
	p.fail(p.device[0].Write(context.Background(), x, make([]byte, 4*cellWords)))
	p.fail(p.device[0].Launch(l))
	var got error
	p.fail(p.device[1].Bring(context.Background(), y, x, 4, func(err error) { got = err }))
	p.seeded.Drain()
	if p.failure != nil || status.CodeOf(got) != status.Unimplemented {
		t.Error(p.failure, got)
	}
	if err := p.device[1].Bring(context.Background(), y, x, 4*cellWords+1, nil); status.CodeOf(err) != status.Internal {
		t.Error("beyond the end:", err)
	}
	if err := p.device[0].Bring(context.Background(), y, x, 4, nil); status.CodeOf(err) == status.OK {
		t.Error("to another device's memory")
	}
	z := p.fresh(0, nil)
	if err := p.device[1].Bring(context.Background(), y, z, 4, nil); status.CodeOf(err) != status.Internal {
		t.Error("of what nobody has written:", err)
	}
	z.Release()
	if err := p.device[1].Bring(context.Background(), y, z, 4, nil); status.CodeOf(err) != status.Internal {
		t.Error("of what was released:", err)
	}
	p.cells = nil
	p.end()
}
