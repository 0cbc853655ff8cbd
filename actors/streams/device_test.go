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

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/status"
)

func TestMain(m *testing.M) {
	actors.System()
	// The library counts messages to actors that have stopped, for a second.
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent(), goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}

// mix is code that makes z = x + 3*y of n numbers of 32 bits.
var mix = &devices.Code{Entry: "mix", Emulate: func(l *devices.Launch, m [][]byte) error {
	for i := range int(l.Args[3].Bits) {
		x, y := binary.LittleEndian.Uint32(m[0][4*i:]), binary.LittleEndian.Uint32(m[1][4*i:])
		binary.LittleEndian.PutUint32(m[2][4*i:], x+3*y)
	}
	return nil
}}

func mixing(x, y, z devices.Buffer, n int) *devices.Launch {
	return &devices.Launch{Code: mix, Groups: [3]int{1, 1, 1}, Size: [3]int{1, 1, 1}, Args: []devices.Arg{
		{Buffer: x, Access: devices.Reads}, {Buffer: y, Access: devices.Reads}, {Buffer: z, Access: devices.Writes}, {Bits: uint64(n), Bytes: 4},
	}}
}

func encode(words []uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func decode(b []byte) (words []uint32) {
	for ; len(b) > 0; b = b[4:] {
		words = append(words, binary.LittleEndian.Uint32(b))
	}
	return words
}

// A world is a device under test, and what its works ought to have computed.
type world struct {
	t       testing.TB
	device  *streams.Device
	driver  atomic.Pointer[emulated.Device]
	seeded  *streams.Seeded
	rng     *rand.Rand
	memory  []*streams.Memory
	want    [][]uint32
	mu      sync.Mutex
	reads   atomic.Int64
	wrong   atomic.Int64
	failure error
}

// newWorld opens an emulated device, seeded or not; wrap may put something between
// it and its actors.
func newWorld(t testing.TB, seed uint64, deterministic bool, limit int64, wrap func(devices.Accelerator) devices.Accelerator) *world {
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 7))}
	o := emulated.Options{Seed: seed, Devices: devices.Options{MemoryLimit: limit}}
	if deterministic {
		w.seeded = streams.NewSeeded(seed)
		o.Schedule = w.seeded.Schedule
	}
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
		driver := emulated.New(o)
		w.driver.Store(driver)
		if wrap != nil {
			return wrap(driver), nil
		}
		return driver, nil
	}, streams.Options{Seeded: w.seeded})
	if err != nil {
		t.Fatal(err)
	}
	w.device = d
	return w
}

// act hands over n random works: writes, launches, copies and reads of memory that
// comes and goes. All numbers of one memory differ from those of any other.
func (w *world) act(n int) {
	fresh := func(words []uint32) *streams.Memory {
		m, err := w.device.Alloc(context.Background(), int64(4*len(words)))
		if err != nil {
			w.fail(err)
			return nil
		}
		w.memory, w.want = append(w.memory, m), append(w.want, words)
		return m
	}
	const words = 64
	for range n {
		if w.seeded != nil {
			for range w.rng.IntN(12) { // the device gets on meanwhile
				w.seeded.Step()
			}
		}
		if w.failed() {
			return
		}
		some := func() int { return w.rng.IntN(len(w.memory)) }
		switch k := w.rng.IntN(10); {
		case len(w.memory) < 3 || k < 3: // write
			v := make([]uint32, words)
			for i := range v {
				v[i] = w.rng.Uint32()
			}
			if len(w.memory) > 6 { // over what is there
				i := some()
				w.want[i] = v
				w.fail(w.device.Write(context.Background(), w.memory[i], encode(v)))
			} else if m := fresh(v); m != nil {
				w.fail(w.device.Write(context.Background(), m, encode(v)))
			}
		case k < 6: // launch
			x, y := some(), some()
			v := make([]uint32, words)
			for i := range v {
				v[i] = w.want[x][i] + 3*w.want[y][i]
			}
			if m := fresh(v); m != nil {
				w.fail(w.device.Launch(mixing(w.memory[x], w.memory[y], m, words)))
			}
		case k < 7: // copy
			from := some()
			if m := fresh(w.want[from]); m != nil {
				w.fail(w.device.Copy(m, w.memory[from], 4*words))
			}
		case k < 8: // read
			w.read(some())
		default:
			i := some()
			w.memory[i].Release()
			w.memory, w.want = slices.Delete(w.memory, i, i+1), slices.Delete(w.want, i, i+1)
		}
	}
}

func (w *world) read(i int) {
	want := w.want[i]
	w.reads.Add(1)
	w.fail(w.device.Read(context.Background(), w.memory[i], int64(4*len(want)), func(b []byte, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reads.Add(-1)
		if err != nil {
			w.failure = err
		} else if !slices.Equal(decode(b), want) {
			w.wrong.Add(1)
		}
	}))
}

func (w *world) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == nil {
		w.failure = err
	}
}

func (w *world) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure != nil
}

// end reads all memory, waits, and closes the device.
func (w *world) end() {
	for i := range w.memory {
		w.read(i)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	w.fail(w.device.Wait(ctx))
	if err := w.device.Close(); err != nil {
		w.t.Error(err)
	}
}

// TestRandomWorks: whatever the schedule, values are right and nothing is unordered.
func TestRandomWorks(t *testing.T) {
	for seed := range uint64(60) {
		w := newWorld(t, seed, seed%6 != 0, 0, nil)
		w.act(120)
		w.end()
		if w.failure != nil || w.wrong.Load() > 0 || w.reads.Load() != 0 || w.driver.Load().Err() != nil && !strings.Contains(w.driver.Load().Err().Error(), "closed") {
			t.Errorf("seed %d: %v, %d wrong, %d open; %v", seed, w.failure, w.wrong.Load(), w.reads.Load(), w.driver.Load().Err())
		}
	}
}

// TestLimit: memory that is released serves again, also if that takes waiting, and
// what does not fit is refused with figures.
func TestLimit(t *testing.T) {
	w := newWorld(t, 1, false, 1<<20, nil)
	d := w.device
	for i := range 50 {
		m, err := d.Alloc(t.Context(), int64(350_000+10_000*i))
		if err != nil {
			t.Fatal(i, err)
		}
		if err := d.Write(context.Background(), m, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		m.Release()
	}
	m, err := d.Alloc(t.Context(), 1<<19)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(t.Context(), 1<<20); status.CodeOf(err) != status.ResourceExhausted || !strings.Contains(err.Error(), "524288 of 1048576 are in use, in 1 block") {
		t.Error(err)
	}
	m.Release()
	if s := d.Statistics(); s.InUse != 0 || s.Blocks != 0 || s.Peak > 1<<20 || s.Allocs != 51 || s.Failures == 0 {
		t.Errorf("%+v", s)
	}
	w.end()
}

// TestRefused: a work that the device refuses leaves memory without contents, and
// all that depends on it; nothing else fails.
func TestRefused(t *testing.T) {
	w := newWorld(t, 1, true, 0, nil)
	d := w.device
	var m [4]*streams.Memory
	for i := range m {
		m[i], _ = d.Alloc(t.Context(), 256)
	}
	unknown := &devices.Code{Entry: "unknown"}
	l := mixing(m[0], m[0], m[1], 8)
	for _, err := range []error{
		d.Write(context.Background(), m[0], make([]byte, 256)),
		func() error { l.Code = unknown; return d.Launch(l) }(),
		d.Launch(mixing(m[1], m[0], m[2], 8)),
		d.Launch(mixing(m[0], m[0], m[3], 8)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var got [4]error
	for i := range m {
		if err := d.Read(context.Background(), m[i], 32, func(_ []byte, err error) { got[i] = err }); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []status.Code{status.OK, status.Unimplemented, status.Unimplemented, status.OK} {
		if status.CodeOf(got[i]) != want {
			t.Errorf("memory %d: %v, want %v", i, got[i], want)
		}
	}
	fresh, _ := d.Alloc(t.Context(), 256)
	if err := d.Read(context.Background(), fresh, 4, nil); status.CodeOf(err) != status.Internal {
		t.Error("a read of what nobody has written:", err)
	}
	m[0].Release()
	if err := d.Write(context.Background(), m[0], []byte{1}); status.CodeOf(err) != status.Internal {
		t.Error("a write to released memory:", err)
	}
	w.end()
}

var lost = flag.Uint64("lost", 40, "how many devices are lost")

// TestLost: a device that is lost ends its works with UNAVAILABLE and its name, and
// comes back as another incarnation without memory.
func TestLost(t *testing.T) {
	for seed := range *lost {
		w := newWorld(t, seed, seed%4 != 0, 0, nil)
		before := w.device.Attributes().Incarnation
		w.act(10 + int(seed%40))
		w.driver.Load().Lose("unplugged")
		for w.device.Attributes().Incarnation == before { // works find out
			if m, err := w.device.Alloc(t.Context(), 4); err == nil {
				w.device.Write(context.Background(), m, make([]byte, 4))
			}
			if w.seeded != nil {
				w.seeded.Drain()
			}
		}
		if len(w.memory) > 0 {
			err := w.device.Read(context.Background(), w.memory[0], 4, func([]byte, error) { t.Error("memory survived") })
			if status.CodeOf(err) != status.Unavailable || !strings.Contains(err.Error(), "/device:EMULATED:0") {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		if w.reads.Load() != 0 || w.wrong.Load() > 0 {
			t.Errorf("seed %d: %d reads without an end, %d wrong", seed, w.reads.Load(), w.wrong.Load())
		}
		if w.failed() && (status.CodeOf(w.failure) != status.Unavailable || !strings.Contains(w.failure.Error(), "unplugged")) {
			t.Errorf("seed %d: %v", seed, w.failure)
		}
		w.memory, w.want, w.failure = nil, nil, nil
		w.act(30)
		w.end()
		if w.failure != nil || w.wrong.Load() > 0 {
			t.Errorf("seed %d, the next life: %v, %d wrong", seed, w.failure, w.wrong.Load())
		}
	}
}

// TestGone: a device that does not come back answers so, and can be closed.
func TestGone(t *testing.T) {
	first := true
	var driver *emulated.Device
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
		if !first {
			return nil, status.Errorf(status.NotFound, "nothing is plugged in")
		}
		first = false
		driver = emulated.New(emulated.Options{})
		return driver, nil
	}, streams.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Alloc(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	driver.Lose("unplugged")
	d.Write(context.Background(), m, []byte{1})
	for err == nil {
		_, err = d.Alloc(t.Context(), 4)
	}
	if status.CodeOf(err) != status.Unavailable || !strings.Contains(err.Error(), "unplugged") {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestLostIdle: a device that is lost while nobody uses it is found out by whoever asks
// it for memory.
func TestLostIdle(t *testing.T) {
	w := newWorld(t, 1, false, 0, nil)
	before := w.device.Attributes().Incarnation
	w.driver.Load().Lose("unplugged")
	for w.device.Attributes().Incarnation == before {
		if m, err := w.device.Alloc(t.Context(), 4); err == nil {
			m.Release()
		} else if status.CodeOf(err) != status.Unavailable {
			t.Fatal(err)
		}
	}
	w.act(20)
	w.end()
	if w.failure != nil || w.wrong.Load() > 0 {
		t.Error(w.failure)
	}
}

// TestUnderLoad: several goroutines hand works over while their device is lost; each
// read ends.
func TestUnderLoad(t *testing.T) {
	w := newWorld(t, 5, false, 0, nil)
	d := w.device
	before := d.Attributes().Incarnation
	var callers, reads sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for d.Attributes().Incarnation == before {
				x, err := d.Alloc(t.Context(), 16)
				if err != nil {
					continue
				}
				z, err := d.Alloc(t.Context(), 16)
				if err == nil && d.Write(context.Background(), x, make([]byte, 16)) == nil && d.Launch(mixing(x, x, z, 4)) == nil {
					reads.Add(1)
					if d.Read(context.Background(), z, 16, func(b []byte, err error) {
						if err != nil && status.CodeOf(err) != status.Unavailable {
							t.Error(err)
						}
						reads.Done()
					}) != nil {
						reads.Done()
					}
					z.Release()
				}
				x.Release()
			}
		})
	}
	w.driver.Load().Lose("unplugged")
	callers.Wait()
	reads.Wait()
	w.end()
}
