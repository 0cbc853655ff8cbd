package opencl

import (
	"testing"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
)

// BenchmarkEnqueue is the driver's own function in a loop, with what stands before it in
// every launch done once: what handing a launch over costs at least.
func BenchmarkEnqueue(b *testing.B) {
	d, err := Open(0, devices.Options{})
	if err != nil {
		b.Skip(err)
	}
	defer d.Close()
	made, err := d.NewQueue("compute")
	if err != nil {
		b.Fatal(err)
	}
	q := made.(*queue)
	l := devices.Launch{Code: &devices.Code{Entry: "nothing", Source: "__kernel void nothing(int n) {}"}, Groups: [3]int{1, 1, 1}, Size: [3]int{64, 1, 1}, Args: []devices.Arg{{Bytes: 4}}}
	wait := func() {
		e, err := q.Record()
		if err != nil {
			b.Fatal(err)
		}
		defer e.Release()
		if err := e.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := q.Launch(&l); err != nil {
		b.Fatal(err)
	}
	wait()
	global, local, k := [3]uintptr{64, 1, 1}, [3]uintptr{64, 1, 1}, q.kernels[l.Code]
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if r := int32(api.enqueueNDRangeKernel.Call(q.handle, k, 3, 0, uintptr(unsafe.Pointer(&global[0])), uintptr(unsafe.Pointer(&local[0])), 0, 0, 0)); r != 0 {
			b.Fatal(r)
		}
		if i%1000 == 999 { // what a driver keeps is bounded
			b.StopTimer()
			wait()
			b.StartTimer()
		}
	}
	b.StopTimer()
	wait()
}
