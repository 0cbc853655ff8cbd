package emulated

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// A bench is a device with two queues and a buffer, which queue a writes first.
type bench struct {
	d     *Device
	a, b  devices.Queue
	h, h2 devices.HostBuffer
	m     devices.Buffer
}

func newBench(t *testing.T) *bench {
	d := New(Options{Seed: 9})
	t.Cleanup(func() { d.Close() })
	x := &bench{d: d}
	x.a, _ = d.NewQueue("a")
	x.b, _ = d.NewQueue("b")
	x.h, _ = d.AllocHost(8)
	x.h2, _ = d.AllocHost(8)
	x.m, _ = d.Alloc(8)
	copy(x.h.Bytes(), "contents")
	x.a.Write(x.m, x.h, 8)
	return x
}

// wait lets the host wait for a queue.
func (x *bench) wait(q devices.Queue) {
	e, err := q.Record()
	if err == nil {
		e.Wait(context.Background())
	}
}

// notified waits until the host is told, without its knowing more.
func (x *bench) notified(q devices.Queue) {
	e, err := q.Record()
	if err == nil {
		done := make(chan error)
		e.Notify(func(err error) { go func() { done <- err }() })
		<-done
	}
}

func (x *bench) after(q, of devices.Queue) {
	if e, err := of.Record(); err == nil {
		q.Wait(e)
	}
}

// TestChecker: what each rule allows, and what it reports.
func TestChecker(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(x *bench)
		want string // "": nothing
	}{
		{"the same queue", func(x *bench) { x.a.Read(x.h2, x.m, 8) }, ""},
		{"another queue", func(x *bench) { x.b.Read(x.h2, x.m, 8) }, `nothing orders read, work 1 of queue "b", which reads buffer 3, after write, work 1 of queue "a", which writes it`},
		{"another queue that waits", func(x *bench) { x.after(x.b, x.a); x.b.Read(x.h2, x.m, 8) }, ""},
		{"a wait for too early an event", func(x *bench) {
			x.after(x.b, x.a)
			x.a.Write(x.m, x.h, 8)
			x.b.Read(x.h2, x.m, 8)
		}, "nothing orders read"},
		{"the host waited", func(x *bench) { x.wait(x.a); x.b.Read(x.h2, x.m, 8) }, ""},
		{"the host was only told", func(x *bench) { x.notified(x.a); x.b.Read(x.h2, x.m, 8) }, "nothing orders read"},
		{"two readers", func(x *bench) { x.after(x.b, x.a); x.a.Read(x.h, x.m, 8); x.b.Read(x.h2, x.m, 8) }, ""},
		{"a write after a reader elsewhere", func(x *bench) {
			x.after(x.b, x.a)
			x.b.Read(x.h2, x.m, 8)
			x.a.Write(x.m, x.h, 8)
		}, `which writes buffer 3, after read, work 2 of queue "b", which reads it`},
		{"order through a third queue", func(x *bench) {
			q, _ := x.d.NewQueue("c")
			x.after(q, x.a)
			x.after(x.b, q)
			x.b.Read(x.h2, x.m, 8)
		}, ""},
		{"the host reads too early", func(x *bench) { x.a.Read(x.h2, x.m, 8); x.h2.Bytes() }, "nothing orders the host"},
		{"the host reads when it was told", func(x *bench) { x.a.Read(x.h2, x.m, 8); x.notified(x.a); x.h2.Bytes() }, ""},
		{"the host writes what is being copied", func(x *bench) { x.h.Bytes() }, "nothing orders the host"},
		{"nobody wrote", func(x *bench) { m, _ := x.d.Alloc(8); x.a.Copy(x.m, m, 8) }, "which was never written"},
		{"released too early", func(x *bench) { x.m.Release() }, `buffer 3 is released while write, work 1 of queue "a" may still use it`},
		{"released in time", func(x *bench) { x.notified(x.a); x.m.Release() }, ""},
		{"used after its release", func(x *bench) { x.wait(x.a); x.m.Release(); x.a.Read(x.h2, x.m, 8) }, "uses buffer 3, which was released"},
		{"released twice", func(x *bench) { x.wait(x.a); x.m.Release(); x.m.Release() }, "released twice"},
		{"beyond the end", func(x *bench) { x.a.Read(x.h2, x.m, 9) }, "leaves its buffers"},
		{"code beyond the end", func(x *bench) {
			x.a.Launch(&devices.Launch{Code: &devices.Code{Entry: "far", Emulate: func(_ *devices.Launch, m [][]byte) error { m[0][8] = 1; return nil }},
				Args: []devices.Arg{{Buffer: x.m, Access: devices.Writes}}})
			x.wait(x.a)
		}, "index out of range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newBench(t)
			c.play(x)
			x.wait(x.a)
			x.wait(x.b)
			err := x.d.Err()
			if c.want == "" && err != nil || c.want != "" && (status.CodeOf(err) != status.Internal || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestCheckerOfTwo: the rules between two devices, of which the other one copies from x's.
func TestCheckerOfTwo(t *testing.T) {
	for _, c := range []struct {
		name        string
		play        func(x *bench, q devices.Queue, to devices.Buffer)
		here, there string // what x's device and the other report; "": nothing
	}{
		{"a copy that does not wait", func(x *bench, q devices.Queue, to devices.Buffer) { q.Copy(to, x.m, 8) },
			"", `nothing orders copy, work 1 of queue "q" of EMULATED:1, which reads buffer 3, after write, work 1 of queue "a", which writes it`},
		{"a copy that waits", func(x *bench, q devices.Queue, to devices.Buffer) { x.after(q, x.a); q.Copy(to, x.m, 8) }, "", ""},
		{"a copy for which the host waited", func(x *bench, q devices.Queue, to devices.Buffer) { x.wait(x.a); q.Copy(to, x.m, 8) }, "", ""},
		{"a copy of which the host was told", func(x *bench, q devices.Queue, to devices.Buffer) { x.notified(x.a); q.Copy(to, x.m, 8) }, "", "nothing orders copy"},
		{"a write over what is copied", func(x *bench, q devices.Queue, to devices.Buffer) {
			x.after(q, x.a)
			q.Copy(to, x.m, 8)
			x.a.Write(x.m, x.h, 8)
		}, `nothing orders write, work 3 of queue "a", which writes buffer 3, after copy, work 2 of queue "q" of EMULATED:1, which reads it`, ""},
		{"a write that waits for the copy", func(x *bench, q devices.Queue, to devices.Buffer) {
			x.after(q, x.a)
			q.Copy(to, x.m, 8)
			x.after(x.a, q)
			x.a.Write(x.m, x.h, 8)
		}, "", ""},
		{"a write when the host waited for the copy", func(x *bench, q devices.Queue, to devices.Buffer) {
			x.after(q, x.a)
			q.Copy(to, x.m, 8)
			x.wait(q)
			x.a.Write(x.m, x.h, 8)
		}, "", ""},
		{"a write when the host was told of the copy", func(x *bench, q devices.Queue, to devices.Buffer) {
			x.after(q, x.a)
			q.Copy(to, x.m, 8)
			x.notified(q)
			x.a.Write(x.m, x.h, 8)
		}, `which writes buffer 3, after copy, work 2 of queue "q" of EMULATED:1, which reads it`, ""},
		{"released too early", func(x *bench, q devices.Queue, to devices.Buffer) {
			x.after(q, x.a)
			x.wait(x.a)
			q.Copy(to, x.m, 8)
			x.m.Release()
		}, `buffer 3 is released while copy, work 2 of queue "q" of EMULATED:1 may still use it`, ""},
		{"released in time", func(x *bench, q devices.Queue, to devices.Buffer) {
			x.after(q, x.a)
			q.Copy(to, x.m, 8)
			x.notified(q)
			x.m.Release()
		}, "", ""},
		{"order through the other device", func(x *bench, q devices.Queue, to devices.Buffer) {
			x.after(q, x.a)
			x.after(x.b, q)
			x.b.Read(x.h2, x.m, 8)
		}, "", ""},
		{"beyond the end", func(x *bench, q devices.Queue, to devices.Buffer) { x.after(q, x.a); q.Copy(to, x.m, 9) }, "", "leaves its buffers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, y := newBench(t), New(Options{Seed: 5, ID: 1})
			defer y.Close()
			q, _ := y.NewQueue("q")
			to, _ := y.Alloc(8)
			c.play(x, q, to)
			for _, q := range []devices.Queue{x.a, x.b, q} {
				x.wait(q)
			}
			for _, r := range []struct {
				err  error
				want string
			}{{x.d.Err(), c.here}, {y.Err(), c.there}} {
				if r.want == "" && r.err != nil || r.want != "" && (status.CodeOf(r.err) != status.Internal || !strings.Contains(r.err.Error(), r.want)) {
					t.Errorf("%v, want %q", r.err, r.want)
				}
			}
		})
	}
}

// TestEnded: what waits for a device that is lost goes on, with anything in what it copies,
// and the device that waits is none the worse.
func TestEnded(t *testing.T) {
	for _, close := range []bool{false, true} {
		x, y := newBench(t), New(Options{ID: 1})
		q, _ := y.NewQueue("q")
		to, _ := y.Alloc(8)
		back, _ := y.AllocHost(8)
		x.after(q, x.a)
		if close {
			x.d.Close()
		} else {
			x.d.Lose("it was pulled out")
		}
		q.Copy(to, x.m, 8)
		q.Read(back, to, 8)
		x.wait(q)
		if err := y.Err(); err != nil {
			t.Error(err)
		}
		back.Bytes()
		if err := y.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLimit: the device has no more memory than it was given.
func TestLimit(t *testing.T) {
	d := New(Options{Devices: devices.Options{MemoryLimit: 100}})
	defer d.Close()
	m, err := d.Alloc(60)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(60); status.CodeOf(err) != status.ResourceExhausted {
		t.Error(err)
	}
	m.Release()
	if _, err := d.Alloc(60); err != nil {
		t.Error(err)
	}
}
