package accelerators

import (
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/tensor"
)

// BenchmarkEnqueue is what handing a launch over costs, through the streams' actors
// and by a loop around the driver; call-ns/op is what the caller spends of that, the device
// being waited for apart. Package devices/opencl has the driver's own function in a loop.
func BenchmarkEnqueue(b *testing.B) {
	const n = 64
	b.Run("actors", func(b *testing.B) {
		bench := opened(b, opencl.Open)
		x, err := bench.Place(b.Context(), must1(tensor.New(tensor.Float, n)))
		if err != nil {
			b.Fatal(err)
		}
		z, _ := bench.Blank(b.Context(), tensor.Float, []int64{n})
		l, err := code.Map("Neg", 0, z, x)
		if err != nil {
			b.Fatal(err)
		}
		bench.Device.Launch(&l[0])
		bench.Device.Wait(b.Context())
		b.ReportAllocs()
		b.ResetTimer()
		waited := time.Duration(0)
		wait := func() {
			begin := time.Now()
			bench.Device.Wait(b.Context())
			waited += time.Since(begin)
		}
		for i := range b.N {
			if err := bench.Device.Launch(&l[0]); err != nil {
				b.Fatal(err)
			}
			if i%1000 == 999 { // what a driver keeps is bounded
				wait()
			}
		}
		wait()
		b.ReportMetric(float64(b.Elapsed()-waited)/float64(b.N), "call-ns/op")
	})
	b.Run("bare", func(b *testing.B) {
		d, err := opencl.Open(0, devices.Options{})
		if err != nil {
			b.Skip(err)
		}
		defer d.Close()
		q, err := d.NewQueue("compute")
		if err != nil {
			b.Fatal(err)
		}
		x, _ := d.Alloc(4 * n)
		z, _ := d.Alloc(4 * n)
		l, err := code.Map("Neg", 0, code.Array{Buffer: z, Type: tensor.Float, Dims: []int64{n}}, code.Array{Buffer: x, Type: tensor.Float, Dims: []int64{n}})
		if err != nil {
			b.Fatal(err)
		}
		wait := func() {
			if e, err := q.Record(); err == nil {
				e.Wait(b.Context())
				e.Release()
			}
		}
		q.Launch(&l[0])
		wait()
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			if err := q.Launch(&l[0]); err != nil {
				b.Fatal(err)
			}
			if i%1000 == 999 {
				wait()
			}
		}
		wait()
	})
}

// BenchmarkCopy is what a tensor takes from one device to another, until it is there, and the
// next: without the host, and by its way, as _Download and _Upload have it.
func BenchmarkCopy(b *testing.B) {
	for _, kind := range []string{"EMULATED", "OPENCL"} {
		var two [2]*streams.Device
		for i := range two {
			open := devices.OpenerOf(kind)
			d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
				return open(i, devices.Options{Count: map[string]int{kind: 2}})
			}, streams.Options{})
			if err != nil {
				b.Skip(err) // PoCL has two with POCL_DEVICES="basic basic"
			}
			defer d.Close()
			two[i] = d
		}
		for _, size := range []int64{4 << 10, 1 << 20, 16 << 20} {
			from, err1 := two[0].Alloc(b.Context(), size)
			to, err2 := two[1].Alloc(b.Context(), size)
			if err1 != nil || err2 != nil {
				b.Fatal(err1, err2)
			}
			if err := two[0].Write(b.Context(), from, make([]byte, size)); err != nil {
				b.Fatal(err)
			}
			done := make(chan error, 1)
			tell := func(err error) { done <- err }
			for name, copied := range map[string]func() error{
				"direct": func() error { return two[1].Bring(b.Context(), to, from, size, tell) },
				"host": func() error {
					return two[0].Read(b.Context(), from, size, func(bytes []byte, err error) {
						if err == nil {
							host := append([]byte(nil), bytes...) // the tensor of the host's
							if err = two[1].Write(b.Context(), to, host); err == nil {
								err = two[1].After(stream.HostToDevice, tell)
							}
						}
						if err != nil {
							tell(err)
						}
					})
				},
			} {
				b.Run(fmt.Sprintf("%s/%d/%s", kind, size, name), func(b *testing.B) {
					b.SetBytes(size)
					for b.Loop() {
						if err := copied(); err != nil {
							b.Fatal(err)
						}
						if err := <-done; err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			from.Release()
			to.Release()
		}
	}
}
