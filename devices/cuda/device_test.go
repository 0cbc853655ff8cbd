package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// install puts a simulated machine in place, or skips the test where there is no NVRTC.
func install(t testing.TB, o simulated.Options) *simulated.Machine {
	t.Helper()
	m, err := simulated.Install(o)
	if code := status.CodeOf(err); code == status.NotFound || code == status.Unimplemented {
		t.Skipf("NOT CHECKED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// machine is install, for tests in which nothing is done wrongly.
func machine(t testing.TB, o simulated.Options) *simulated.Machine {
	m := install(t, o)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func open(t testing.TB, number int) *Device {
	t.Helper()
	d, err := Open(number, devices.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

var square = &devices.Code{Entry: "square", Source: `extern "C" __global__ void square(const int *x, int *z, int n, int more) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] * x[i] + more;
}`}

// A pipeline writes, copies, launches and reads by four queues, in rounds: the memory of each
// round is used in the next one. It answers an error if a result is wrong.
func pipeline(d *Device) error {
	const n, rounds = 1000, 12
	var queues [4]devices.Queue
	for i := range queues {
		q, err := d.NewQueue("")
		if err != nil {
			return err
		}
		queues[i] = q
	}
	in, out, compute, within := queues[0], queues[1], queues[2], queues[3]
	host := func(bytes int64) devices.HostBuffer { h, _ := d.AllocHost(bytes); return h }
	memory := func() devices.Buffer { b, _ := d.Alloc(4 * n); return b }
	from, to := [2]devices.HostBuffer{host(4 * n), host(4 * n)}, [2]devices.HostBuffer{host(4 * n), host(4 * n)}
	x, y, z := memory(), memory(), memory()
	if from[1] == nil || to[1] == nil || x == nil || y == nil || z == nil {
		return errors.New("there is no memory")
	}
	after := func(q devices.Queue, others ...devices.Queue) error {
		for _, o := range others {
			e, err := o.Record()
			if err != nil {
				return err
			}
			err = q.Wait(e)
			e.Release()
			if err != nil {
				return err
			}
		}
		return nil
	}
	var reading [2]devices.Event // of the last two rounds
	check := func(round int) error {
		err := reading[round%2].Wait(context.Background())
		reading[round%2].Release()
		for i := 0; i < n && err == nil; i++ {
			if got, want := int32(binary.NativeEndian.Uint32(to[round%2].Bytes()[4*i:])), int32((i+round)*(i+round)+round); got != want {
				err = fmt.Errorf("round %d: element %d is %d, not %d", round, i, got, want)
			}
		}
		return err
	}
	for round := range rounds {
		if round > 1 {
			if err := check(round - 2); err != nil {
				return err
			}
		}
		for i := range n {
			binary.NativeEndian.PutUint32(from[round%2].Bytes()[4*i:], uint32(i+round))
		}
		if err := errors.Join(
			after(in, within), in.Write(x, from[round%2], 4*n),
			after(within, in, compute), within.Copy(y, x, 4*n),
			after(compute, within, out),
			compute.Launch(&devices.Launch{Code: square, Groups: [3]int{16, 1, 1}, Size: [3]int{64, 1, 1}, Args: []devices.Arg{
				{Buffer: y, Access: devices.Reads}, {Buffer: z, Access: devices.Writes}, {Bits: n, Bytes: 4}, {Bits: uint64(round), Bytes: 4},
			}}),
			after(out, compute), out.Read(to[round%2], z, 4*n),
		); err != nil {
			return err
		}
		e, err := out.Record()
		if err != nil {
			return err
		}
		reading[round%2] = e
	}
	return errors.Join(check(rounds-2), check(rounds-1))
}

// TestPipeline: what a device does for a stream's actors, on a simulated GPU.
func TestPipeline(t *testing.T) {
	for seed := range uint64(5) {
		m := install(t, simulated.Options{Seed: seed})
		d, err := Open(0, devices.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(pipeline(d), pipeline(d), d.Close(), m.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A launch of one thread.
func launch(c *devices.Code, args ...devices.Arg) *devices.Launch {
	return &devices.Launch{Code: c, Groups: [3]int{1, 1, 1}, Size: [3]int{1, 1, 1}, Args: args}
}

// wait waits for all that a queue has.
func wait(t *testing.T, q devices.Queue) error {
	t.Helper()
	e, err := q.Record()
	if err != nil {
		return err
	}
	defer e.Release()
	return e.Wait(t.Context())
}

// TestRefusals: what a device refuses has a code, and it goes on.
func TestRefusals(t *testing.T) {
	machine(t, simulated.Options{Memory: 1 << 20})
	d := open(t, 0)
	q, err := d.NewQueue("q")
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.Alloc(1 << 19)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(1<<19 + 1); status.CodeOf(err) != status.ResourceExhausted || !strings.Contains(err.Error(), "CUDA_ERROR_OUT_OF_MEMORY") {
		t.Error(err)
	}
	h, err := d.AllocHost(100)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Read(h, x, 101); status.CodeOf(err) != status.Internal {
		t.Error(err)
	}
	wide := launch(square, devices.Arg{Buffer: x}, devices.Arg{Buffer: x}, devices.Arg{Bytes: 4}, devices.Arg{Bytes: 4})
	wide.Size = [3]int{1025, 1, 1}
	if err := q.Launch(wide); status.CodeOf(err) != status.Internal {
		t.Error(err)
	}
	wide.Size, wide.Groups = [3]int{1, 1, 1}, [3]int{1, 65536, 1}
	if err := q.Launch(wide); status.CodeOf(err) != status.Internal {
		t.Error(err)
	}
	if err := d.Load(&devices.Code{Entry: "f", Source: "mistake"}); status.CodeOf(err) != status.Internal || !strings.Contains(err.Error(), "mistake") {
		t.Error(err)
	}
	if err := d.Load(&devices.Code{Entry: "f"}); status.CodeOf(err) != status.Unimplemented {
		t.Error(err)
	}
	if err := d.Load(&devices.Code{Entry: "other", Source: square.Source}); status.CodeOf(err) != status.Internal || !strings.Contains(err.Error(), "NOT_FOUND") {
		t.Error(err)
	}
	wide.Groups = [3]int{1, 1, 1}
	if err := errors.Join(q.Launch(wide), wait(t, q)); err != nil {
		t.Error(err)
	}
}

// wild writes through a number.
var wild = &devices.Code{Entry: "wild", Source: `extern "C" __global__ void wild(unsigned long long at) { *(int *)at = 1; }`}

// TestLost: a kernel that writes where nothing is ends the context, for all devices of the
// process that share the GPU. Each gets UNAVAILABLE; opened again they are good.
func TestLost(t *testing.T) {
	m := install(t, simulated.Options{})
	one, another := open(t, 0), open(t, 0)
	q, err := one.NewQueue("q")
	if err != nil {
		t.Fatal(err)
	}
	b, err := one.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	e, err := q.Record()
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(q.Launch(launch(wild, devices.Arg{Bits: 1 << 50, Bytes: 8})), wait(t, q))
	if status.CodeOf(err) != status.Unavailable || !strings.Contains(err.Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") {
		t.Error(err)
	}
	if _, err := one.Alloc(100); status.CodeOf(err) != status.Unavailable {
		t.Error(err)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if _, err := one.NewQueue("q"); status.CodeOf(err) != status.Unavailable {
		t.Error(err)
	}
	if err := e.Wait(t.Context()); status.CodeOf(err) != status.Unavailable {
		t.Error(err)
	}
	e.Release() // what comes late calls nobody
	b.Release()
	if _, err := another.Alloc(100); status.CodeOf(err) != status.Unavailable {
		t.Errorf("a device beside one that was lost: %v", err)
	}
	again := open(t, 0)
	if err := errors.Join(pipeline(again), another.Close()); err != nil {
		t.Error(err)
	}
	anew := open(t, 0)
	if err := errors.Join(pipeline(anew), pipeline(again), anew.Close(), again.Close()); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.Contains(err.Error(), "wild, line") || !strings.Contains(err.Error(), "st.global.u32") {
		t.Errorf("the driver says %v", err)
	}
}

// TestSeveral: devices have memory and queues of their own, and copy from each other.
func TestSeveral(t *testing.T) {
	machine(t, simulated.Options{Devices: 2})
	if all, err := Devices(); len(all) != 2 || err != nil || all[1] != "simulated GPU 1, compute capability 9.9" {
		t.Error(all, err)
	}
	one, two := open(t, 0), open(t, 1)
	if _, err := Open(2, devices.Options{}); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
	q1, err1 := one.NewQueue("")
	q2, err2 := two.NewQueue("")
	x, err3 := one.Alloc(8)
	if err := errors.Join(err1, err2, err3, pipeline(one), pipeline(two)); err != nil {
		t.Fatal(err)
	}
	e, err := q1.Record()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Release()
	if err := q2.Launch(launch(wild, devices.Arg{Buffer: x})); status.CodeOf(err) != status.Internal {
		t.Error(err)
	}
	h, err := two.AllocHost(8)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{q2.Write(x, h, 8), q2.Read(h, x, 8), q2.Copy(x, x, 8)} {
		if status.CodeOf(err) != status.Internal {
			t.Error(err)
		}
	}
	copy(h.Bytes(), "to and fr")
	y, err := two.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	if err := q1.Write(x, h, 8); err != nil {
		t.Fatal(err)
	}
	written, err := q1.Record()
	if err != nil {
		t.Fatal(err)
	}
	if err = errors.Join(q2.Wait(written), q2.Copy(y, x, 8), wait(t, q2)); err != nil {
		t.Fatal(err)
	}
	written.Release()
	clear(h.Bytes())
	if err := errors.Join(q2.Read(h, y, 8), wait(t, q2)); err != nil || string(h.Bytes()) != "to and f" {
		t.Errorf("%q, %v", h.Bytes(), err)
	}
}

// TestChoose: a device gets machine code if NVRTC knows it, PTX if it is newer, and what its
// driver runs if that is older than NVRTC.
func TestChoose(t *testing.T) {
	known := []int32{75, 80, 86, 87, 90, 100, 120}
	for _, c := range []struct {
		capability       int
		compiler, driver release
		want             string
	}{
		{90, release{12, 9}, release{12, 9}, "sm_90"}, {90, release{12, 9}, release{12, 2}, "sm_90"}, {75, release{12, 9}, release{13, 0}, "sm_75"},
		{89, release{12, 9}, release{13, 0}, "compute_87"}, {89, release{12, 9}, release{12, 4}, "sm_86"}, // not the board's
		{103, release{12, 9}, release{12, 9}, "compute_100"}, {103, release{12, 9}, release{12, 8}, "sm_100"}, {121, release{12, 9}, release{13, 0}, "compute_120"},
		{87, release{12, 9}, release{12, 4}, "sm_87"}, {88, release{12, 9}, release{12, 9}, "compute_87"},
		{90, release{13, 0}, release{12, 9}, ""}, {110, release{12, 9}, release{12, 4}, ""}, {70, release{12, 9}, release{12, 9}, ""},
	} {
		got, err := choose(known, c.capability, c.compiler, c.driver)
		if got != c.want || (err != nil) != (c.want == "") || err != nil && status.CodeOf(err) != status.Unimplemented {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
}

// TestOldDriver: PTX of a newer NVRTC is not given to a driver that does not know it.
func TestOldDriver(t *testing.T) {
	machine(t, simulated.Options{Driver: 12000, Capability: 199})
	d := open(t, 0)
	if err := d.Load(square); status.CodeOf(err) != status.Unimplemented || !strings.Contains(err.Error(), CompilerVariable) {
		t.Error(err)
	}
}

// TestPeerIsLost: a copy from a GPU that is lost, which nobody has noticed yet, does the receiver
// no harm; it is the other GPU that is lost.
func TestPeerIsLost(t *testing.T) {
	m := machine(t, simulated.Options{Devices: 2})
	from, err1 := Open(0, devices.Options{})
	to, err2 := Open(1, devices.Options{})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	x, err1 := from.Alloc(8)
	y, err2 := to.Alloc(8)
	q, err3 := to.NewQueue("")
	other, err4 := from.NewQueue("")
	if err := errors.Join(err1, err2, err3, err4, q.Copy(y, x, 8), wait(t, q)); err != nil {
		t.Fatal(err)
	}
	e, err := other.Record()
	if err != nil {
		t.Fatal(err)
	}
	m.Lose(0)
	if err := errors.Join(q.Copy(y, x, 8), q.Wait(e), q.Copy(y, x, 8), wait(t, q)); err != nil {
		t.Error("the receiver:", err)
	}
	if to.primary.lost.Load() || !from.primary.lost.Load() {
		t.Errorf("lost: the receiver %v, the other %v", to.primary.lost.Load(), from.primary.lost.Load())
	}
	m.Lose(1)
	if err := q.Copy(y, y, 8); status.CodeOf(err) != status.Unavailable || !to.primary.lost.Load() {
		t.Error("the receiver, lost:", err)
	}
	e.Release()
	if err := errors.Join(from.Close(), to.Close()); err != nil {
		t.Error(err)
	}
}

// TestEnds: whatever ends a context, the device is lost, also where cuBLAS finds it; opened
// again it is good.
func TestEnds(t *testing.T) {
	m := machine(t, simulated.Options{})
	for result := range int32(1000) {
		if !api.Ends(result) {
			continue
		}
		d, err := Open(0, devices.Options{})
		if err != nil {
			t.Fatal(result, err)
		}
		q, err1 := d.NewQueue("")
		x, err2 := d.Alloc(36)
		if err := errors.Join(err1, err2); err != nil || !d.Multiplies(tensor.Float) {
			t.Fatal(result, err)
		}
		l := &devices.Launch{Code: &devices.Code{Entry: "product"}, Product: &devices.Product{Type: tensor.Float, M: 3, N: 3, K: 3}, Args: []devices.Arg{{Buffer: x}, {Buffer: x}, {Buffer: x}}}
		if err := errors.Join(q.Launch(l), wait(t, q)); err != nil {
			t.Fatal(result, err)
		}
		m.LoseBy(0, result)
		if err := q.Launch(l); status.CodeOf(err) != status.Unavailable {
			t.Errorf("%d: a product: %v", result, err)
		}
		if _, err := d.Alloc(4); status.CodeOf(err) != status.Unavailable {
			t.Errorf("%d: memory: %v", result, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if !api.Ends(226) || !api.Ends(700) || api.Ends(701) {
		t.Error("which results end a context")
	}
}

// TestFreeMemory: a device has what others leave.
func TestFreeMemory(t *testing.T) {
	machine(t, simulated.Options{Memory: 1 << 20, Taken: 1 << 18})
	if d := open(t, 0); d.Attributes().MemoryLimit != 1<<20-1<<18 {
		t.Error(d.Attributes().MemoryLimit)
	}
	d, err := Open(0, devices.Options{MemoryLimit: 1 << 19})
	if err != nil || d.Attributes().MemoryLimit != 1<<19 {
		t.Fatal(err, d.Attributes().MemoryLimit)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestPeers: copies between devices go directly where there is a way.
func TestPeers(t *testing.T) {
	for _, apart := range []bool{false, true} {
		m := install(t, simulated.Options{Devices: 2, NoPeerAccess: apart})
		var d [2]*Device
		for i := range d {
			var err error
			if d[i], err = Open(i, devices.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range d {
			q, err1 := d[i].NewQueue("")
			to, err2 := d[i].Alloc(64)
			from, err3 := d[1-i].Alloc(64)
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := errors.Join(q.Copy(to, from, 64), wait(t, q)); err != nil {
					t.Error(err)
				}
			}
		}
		if n := m.Staged(); (n > 0) != apart {
			t.Errorf("apart %v: %d copies by the host", apart, n)
		}
		if err := errors.Join(d[0].Close(), d[1].Close(), m.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestOrderOfLives: two lives are held in one order, also if they are of one GPU.
func TestOrderOfLives(t *testing.T) {
	m := machine(t, simulated.Options{})
	old := open(t, 0)
	m.Lose(0)
	if _, err := old.Alloc(4); status.CodeOf(err) != status.Unavailable {
		t.Fatal(err)
	}
	again := open(t, 0)
	a1, b1 := inOrder(old.primary, again.primary)
	a2, b2 := inOrder(again.primary, old.primary)
	if old.primary == again.primary || a1 != a2 || b1 != b2 {
		t.Error("the order depends on who asks")
	}
}

// BenchmarkPause is how long a look is from the next.
func BenchmarkPause(b *testing.B) {
	for range b.N {
		pause(between)
	}
}
