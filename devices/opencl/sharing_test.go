package opencl_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/status"
)

// several is set in a process whose PoCL has two devices, which it is told before the
// library is loaded.
const several = "TROUPE_OPENCL_SEVERAL"

// TestSeveral: devices of one platform that are opened together copy from each other, by
// queues that wait for each other's events.
func TestSeveral(t *testing.T) {
	if os.Getenv(several) == "" {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSeveral$", "-test.v")
		c.Env = append(os.Environ(), several+"=1", "POCL_DEVICES=basic basic")
		said, err := c.CombinedOutput()
		if err == nil && strings.Contains(string(said), "NOT CHECKED") {
			t.Skipf("%s", said)
		}
		if err != nil || !strings.Contains(string(said), "--- PASS: TestSeveral") {
			t.Errorf("%v: %s", err, said)
		}
		return
	}
	all, err := opencl.Devices()
	if c := status.CodeOf(err); c == status.NotFound || c == status.Unimplemented || err == nil && len(all) < 2 {
		t.Skipf("NOT CHECKED: there are no two devices: %v, %v", all, err)
	}
	open := func(number, count int) *opencl.Device {
		d, err := opencl.Open(number, devices.Options{Count: map[string]int{opencl.Type: count}})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a, b := open(0, 2), open(1, 2)
	if !a.Reaches(b) || !b.Reaches(a) {
		t.Fatal("they do not reach each other")
	}
	const n = 1 << 16
	queue := func(d *opencl.Device) devices.Queue { return must(d.NewQueue("q"))(t) }
	qa, qb := queue(a), queue(b)
	ha, hb := must(a.AllocHost(4*n))(t), must(b.AllocHost(4*n))(t)
	ma, mb := must(a.Alloc(4*n))(t), must(b.Alloc(4*n))(t)
	zb := must(b.Alloc(4 * n))(t)
	after := func(q, of devices.Queue) {
		e := must(of.Record())(t)
		try(t, q.Wait(e))
		e.Release()
	}
	for round := range 20 {
		for i := range n {
			binary.NativeEndian.PutUint32(ha.Bytes()[4*i:], uint32(i+round))
		}
		try(t, qa.Write(ma, ha, 4*n))
		after(qb, qa)
		try(t, qb.Copy(mb, ma, 4*n))
		after(qa, qb)
		try(t, qa.Write(ma, ha, 4)) // over what was copied
		try(t, qb.Launch(&devices.Launch{Code: square, Groups: [3]int{n / 64, 1, 1}, Size: [3]int{64, 1, 1}, Args: []devices.Arg{
			{Buffer: mb, Access: devices.Reads}, {Buffer: zb, Access: devices.Writes}, {Bits: n, Bytes: 4},
		}}))
		try(t, qb.Read(hb, zb, 4*n))
		e := must(qb.Record())(t)
		try(t, e.Wait(t.Context()))
		e.Release()
		e = must(qa.Record())(t)
		try(t, e.Wait(t.Context()))
		e.Release()
		for i := range n {
			if got, x := binary.NativeEndian.Uint32(hb.Bytes()[4*i:]), uint32(i+round); got != x*x {
				t.Fatalf("round %d: element %d is %d", round, i, got)
			}
		}
	}
	try(t, a.Close())
	alone, again := open(0, 1), open(0, 2)
	if alone.Reaches(b) || b.Reaches(alone) {
		t.Error("a device that was opened alone reaches another")
	}
	if again.Reaches(b) {
		t.Error("a device that comes back reaches what it was lost with")
	}
	try(t, b.Close())
	b = open(1, 2)
	if !again.Reaches(b) {
		t.Error("devices that have both come back do not reach each other")
	}
	for _, d := range []*opencl.Device{alone, again, b} {
		try(t, d.Close())
	}
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		try(t, err)
		return v
	}
}

func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
