package accelerators

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/devices/opencl"
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
