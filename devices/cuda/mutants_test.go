package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/devices/dynamic"
)

// A slot is a function for a library to call, of which a process has room for some 2,000; it
// passes its arguments on. Those behind the ones that it was given are anything.
type slot struct {
	entry dynamic.Function
	do    func(args []uintptr) int32
}

var (
	slots [8]slot
	taken int // of them, by one mutant
)

// called returns a function that calls do.
func called(do func(args []uintptr) int32) dynamic.Function {
	s := &slots[taken]
	taken++
	s.do = do
	if s.entry == 0 {
		s.entry = dynamic.Function(dynamic.Callback(func(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, t, u, v, w, x uintptr) int32 {
			return s.do([]uintptr{a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, t, u, v, w, x})
		}))
	}
	return s.entry
}

// otherwise has a function called with other arguments.
func otherwise(f *dynamic.Function, change func(args []uintptr)) {
	old := *f
	*f = called(func(args []uintptr) int32 {
		change(args)
		return int32(old.Call(args...))
	})
}

// instead has g called in place of a function of at most four arguments, with the
// function.
func instead(f *dynamic.Function, g func(call func(args ...uintptr) int32, a, b, c, d uintptr) int32) {
	old := *f
	call := func(args ...uintptr) int32 { return int32(old.Call(args...)) }
	*f = called(func(args []uintptr) int32 { return g(call, args[0], args[1], args[2], args[3]) })
}

// never has a function not called.
func never(f *dynamic.Function) {
	instead(f, func(func(...uintptr) int32, uintptr, uintptr, uintptr, uintptr) int32 { return 0 })
}

// with has a function called with other arguments.
func with(f *dynamic.Function, change func(a, b, c, d uintptr) []uintptr) {
	instead(f, func(call func(...uintptr) int32, a, b, c, d uintptr) int32 { return call(change(a, b, c, d)...) })
}

// twice has a function called again.
func twice(f *dynamic.Function) {
	instead(f, func(call func(...uintptr) int32, a, b, c, d uintptr) int32 {
		return max(call(a, b, c, d), call(a, b, c, d))
	})
}

// made returns the stream that was made last: in the pipeline it is the one of copies within
// the device.
func made(d *api.Driver) func() uintptr {
	var last uintptr
	instead(&d.StreamCreate, func(call func(...uintptr) int32, out, flags, _, _ uintptr) int32 {
		r := call(out, flags)
		last = uintptr(binary.NativeEndian.Uint64(dynamic.Bytes(out, 8)))
		return r
	})
	return func() uintptr { return last }
}

// mutants are mistakes: what the driver is called with, or what is left out. want is part of
// what is reported.
var mutants = []struct {
	name  string
	plant func(d *api.Driver)
	want  string
}{
	{"the context is not made current", func(d *api.Driver) { never(&d.CtxPushCurrent); never(&d.CtxPopCurrent) }, "on a thread that has no context"},
	{"the context stays current", func(d *api.Driver) { never(&d.CtxPopCurrent) }, "a thread is left with a context"},
	{"the context is given up before its streams", func(d *api.Driver) {
		release := d.PrimaryCtxRelease
		instead(&d.CtxSynchronize, func(call func(...uintptr) int32, _, _, _, _ uintptr) int32 { r := call(); release.Call(0); return r })
	}, "ends with 5 streams"},
	{"the context is not given up", func(d *api.Driver) { never(&d.PrimaryCtxRelease) }, "is retained 1 times at the end"},
	{"the context is given up twice", func(d *api.Driver) { twice(&d.PrimaryCtxRelease) }, "whose context nobody has"},
	{"streams wait for the default one", func(d *api.Driver) {
		with(&d.StreamCreate, func(out, _, _, _ uintptr) []uintptr { return []uintptr{out, 0} })
	}, "waits for the default one"},
	{"a wait is left out", func(d *api.Driver) { never(&d.StreamWaitEvent) }, "nothing orders"},
	{"an event is not recorded", func(d *api.Driver) { never(&d.EventRecord) }, "nothing orders"},
	{"a wait comes before its event is recorded", func(d *api.Driver) {
		record, late := d.EventRecord, []uintptr(nil)
		instead(&d.EventRecord, func(_ func(...uintptr) int32, e, s, _, _ uintptr) int32 { late = []uintptr{e, s}; return 0 })
		instead(&d.StreamWaitEvent, func(call func(...uintptr) int32, s, e, flags, _ uintptr) int32 {
			r := call(s, e, flags)
			record.Call(late...)
			return r
		})
	}, "nothing orders"},
	{"events are recorded in another stream", func(d *api.Driver) {
		last := made(d)
		with(&d.EventRecord, func(e, _, _, _ uintptr) []uintptr { return []uintptr{e, last()} })
	}, "nothing orders"},
	{"stream and event are exchanged in a wait", func(d *api.Driver) {
		with(&d.StreamWaitEvent, func(s, e, flags, _ uintptr) []uintptr { return []uintptr{e, s, flags} })
	}, "cuStreamWaitEvent is given"},
	{"event and stream are exchanged in a record", func(d *api.Driver) {
		with(&d.EventRecord, func(e, s, _, _ uintptr) []uintptr { return []uintptr{s, e} })
	}, "cuEventRecord is given"},
	{"an event is destroyed when it has been recorded", func(d *api.Driver) {
		destroy := d.EventDestroy
		instead(&d.EventRecord, func(call func(...uintptr) int32, e, s, _, _ uintptr) int32 {
			r := call(e, s)
			destroy.Call(e)
			return r
		})
	}, "which is no *simulated.event"},
	{"completions are told early", func(d *api.Driver) { never(&d.EventQuery) }, ", not "},
	{"a copy to the device has its ends exchanged", func(d *api.Driver) {
		with(&d.MemcpyHtoDAsync, func(to, from, n, s uintptr) []uintptr { return []uintptr{from, to, n, s} })
	}, "cuMemcpyHtoDAsync is given"},
	{"a copy within the device has its ends exchanged", func(d *api.Driver) {
		with(&d.MemcpyDtoDAsync, func(to, from, n, s uintptr) []uintptr { return []uintptr{from, to, n, s} })
	}, "element 0 is"},
	{"addresses have 32 bits", func(d *api.Driver) {
		with(&d.MemcpyDtoHAsync, func(to, from, n, s uintptr) []uintptr { return []uintptr{to, from & (1<<32 - 1), n, s} })
	}, "not allocated on the device"},
	{"a copy is too long", func(d *api.Driver) {
		with(&d.MemcpyHtoDAsync, func(to, from, n, s uintptr) []uintptr { return []uintptr{to, from, n + 4, s} })
	}, "4004 bytes"},
	{"a copy to the host is too short", func(d *api.Driver) {
		with(&d.MemcpyDtoHAsync, func(to, from, n, s uintptr) []uintptr { return []uintptr{to, from, n - 4, s} })
	}, "element 999 is -1"},
	{"a copy is in the default stream", func(d *api.Driver) {
		with(&d.MemcpyHtoDAsync, func(to, from, n, _ uintptr) []uintptr { return []uintptr{to, from, n, 0} })
	}, "which is no *simulated.stream"},
	{"a copy is in another stream", func(d *api.Driver) {
		last := made(d)
		with(&d.MemcpyDtoHAsync, func(to, from, n, _ uintptr) []uintptr { return []uintptr{to, from, n, last()} })
	}, "nothing orders"},
	{"memory is smaller than it is taken for", func(d *api.Driver) {
		with(&d.MemAlloc, func(out, n, _, _ uintptr) []uintptr { return []uintptr{out, n / 2} })
	}, "not allocated on the device"},
	{"memory is given back early", func(d *api.Driver) {
		free := d.MemFree
		instead(&d.MemcpyDtoHAsync, func(call func(...uintptr) int32, to, from, n, s uintptr) int32 {
			r := call(to, from, n, s)
			free.Call(from)
			return r
		})
	}, "memory"},
	{"memory is given back twice", func(d *api.Driver) { twice(&d.MemFree) }, "where no memory begins that is allocated"},
	{"memory is not given back", func(d *api.Driver) { never(&d.MemFree) }, "ends with 4 pieces of memory"},
	{"memory of the host's is not given back", func(d *api.Driver) { never(&d.MemFreeHost) }, "ends with 4 pieces of memory"},
	{"memory of the host's is given back to the device", func(d *api.Driver) { d.MemFreeHost = d.MemFree }, "cuMemFree is given"},
	{"streams stay", func(d *api.Driver) { never(&d.StreamDestroy) }, "ends with 5 streams"},
	{"events stay", func(d *api.Driver) { never(&d.EventDestroy) }, "events"},
	{"modules stay", func(d *api.Driver) { never(&d.ModuleUnload) }, "ends with 1 modules"},
	{"closing does not wait", func(d *api.Driver) { never(&d.CtxSynchronize) }, "which has"},
	{"a module is unloaded early", func(d *api.Driver) {
		unload := d.ModuleUnload
		instead(&d.ModuleGetFunction, func(call func(...uintptr) int32, out, m, name, _ uintptr) int32 {
			r := call(out, m, name)
			unload.Call(m)
			return r
		})
	}, "which is no *simulated.function"},
	{"code and name are exchanged", func(d *api.Driver) {
		with(&d.ModuleGetFunction, func(out, m, name, _ uintptr) []uintptr { return []uintptr{out, name, m} })
	}, "cuModuleGetFunction is given"},
	{"a launch is in another stream", func(d *api.Driver) {
		last := made(d)
		otherwise(&d.LaunchKernel, func(args []uintptr) { args[8] = last() })
	}, "nothing orders"},
	{"a launch is in the default stream", func(d *api.Driver) {
		otherwise(&d.LaunchKernel, func(args []uintptr) { args[8] = 0 })
	}, "which is no *simulated.stream"},
	{"dimensions of a launch are exchanged", func(d *api.Driver) {
		otherwise(&d.LaunchKernel, func(args []uintptr) { args[1], args[2] = args[2], args[1] })
	}, "element 64 is"},
	{"the size of a group and that of its shared memory are exchanged", func(d *api.Driver) {
		otherwise(&d.LaunchKernel, func(args []uintptr) { args[6], args[7] = args[7], args[6] })
	}, "CUDA_ERROR_INVALID_VALUE"},
	{"parameters are one place off", func(d *api.Driver) {
		otherwise(&d.LaunchKernel, func(args []uintptr) { args[9] += 8 })
	}, "has no address"},
	{"parameters are given as extra", func(d *api.Driver) {
		otherwise(&d.LaunchKernel, func(args []uintptr) { args[9], args[10] = args[10], args[9] })
	}, "CUDA_ERROR_INVALID_VALUE"},
}

// TestMutants: each mistake is found, by the driver's report, by an error or a wrong answer.
// With -v it prints the first thing that is said of each.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("mistakes of order are data races, too, which the detector would report")
	}
	for i, x := range mutants {
		m := install(t, simulated.Options{Seed: uint64(i)})
		d, err := api.Find()
		if err != nil {
			t.Fatal(err)
		}
		wrong := *d
		taken = 0
		x.plant(&wrong)
		restore := api.Replace(&api.Libraries{Driver: &wrong})
		dev, err := Open(0, devices.Options{})
		if err == nil {
			err = errors.Join(pipeline(dev), under(dev), dev.Close())
		}
		restore()
		err = errors.Join(m.Close(), err)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: it is not found: %v", x.name, err)
			continue
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		t.Logf("| %s | %s |", x.name, first)
	}
}

// under has works under way.
func under(d *Device) error {
	q, err := d.NewQueue("")
	if err != nil {
		return err
	}
	x, err := d.Alloc(4 << 10)
	if err != nil {
		return err
	}
	for range 100 {
		if err := q.Launch(&devices.Launch{Code: square, Groups: [3]int{16, 1, 1}, Size: [3]int{64, 1, 1}, Args: []devices.Arg{
			{Buffer: x, Access: devices.Reads}, {Buffer: x, Access: devices.Writes}, {Bits: 1 << 10, Bytes: 4}, {Bytes: 4},
		}}); err != nil {
			return fmt.Errorf("what is under way: %w", err)
		}
	}
	return nil
}
