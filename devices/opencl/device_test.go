package opencl_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/status"
)

func open(t *testing.T) *opencl.Device {
	d, err := opencl.Open(0, devices.Options{})
	if c := status.CodeOf(err); c == status.NotFound || c == status.Unimplemented {
		t.Skipf("NOT CHECKED: %v", err)
	}
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

var square = &devices.Code{Entry: "square", Source: `__kernel void square(__global const int *x, __global int *z, int n) {
  int i = get_global_id(0);
  if (i < n) z[i] = x[i] * x[i];
}`}

// TestDriver writes, launches and reads, by three queues that wait for each other.
func TestDriver(t *testing.T) {
	d := open(t)
	var queues [3]devices.Queue
	for i := range queues {
		q, err := d.NewQueue("q")
		if err != nil {
			t.Fatal(err)
		}
		queues[i] = q
	}
	const n = 1000
	host, err := d.AllocHost(4 * n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		binary.NativeEndian.PutUint32(host.Bytes()[4*i:], uint32(i))
	}
	x, err1 := d.Alloc(4 * n)
	z, err2 := d.Alloc(4 * n)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	next := func(from, to devices.Queue) {
		e, err := from.Record()
		if err == nil {
			err = to.Wait(e)
			e.Release()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	errs := []error{queues[0].Write(x, host, 4*n)}
	next(queues[0], queues[1])
	errs = append(errs, queues[1].Launch(&devices.Launch{Code: square, Groups: [3]int{16, 1, 1}, Size: [3]int{64, 1, 1}, Args: []devices.Arg{
		{Buffer: x, Access: devices.Reads}, {Buffer: z, Access: devices.Writes}, {Bits: n, Bytes: 4},
	}}))
	next(queues[1], queues[2])
	errs = append(errs, queues[2].Read(host, z, 4*n), queues[2].Flush())
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := queues[2].Record()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Release()
	if err := e.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if got := binary.NativeEndian.Uint32(host.Bytes()[4*i:]); got != uint32(i*i) {
			t.Fatalf("element %d is %d", i, got)
		}
	}
	if err := queues[0].Read(host, z, 4*n+1); status.CodeOf(err) != status.Internal {
		t.Error("a copy beyond the end:", err)
	}
	if _, err := d.Alloc(1 << 60); status.CodeOf(err) != status.ResourceExhausted {
		t.Error("an exabyte:", err)
	}
}

// TestMistakes: what the compiler says comes back.
func TestMistakes(t *testing.T) {
	d := open(t)
	for _, c := range []struct{ source, want string }{
		{"__kernel void f(__global int *x) { x[0] = nonsense; }", "nonsense"},
		{"__kernel void g(__global int *x) { x[0] = 1; }", "INVALID_KERNEL_NAME"},
		{"", "no source"},
	} {
		if err := d.Load(&devices.Code{Entry: "f", Source: c.source}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.source, err, c.want)
		}
	}
	if _, err := opencl.Open(1000, devices.Options{}); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
}
