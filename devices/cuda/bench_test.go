package cuda

import (
	"cmp"
	"encoding/binary"
	"flag"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/tensor"
)

var sizes = flag.String("sizes", "", "the matrices of BenchmarkGPU, of so many rows; 4096,8192 unless given, for which it needs a GPU")

// BenchmarkGPU is products of floats by cuBLAS: called bare, and through a queue. With -sizes
// it also runs on a simulated GPU, to see that it would.
func BenchmarkGPU(b *testing.B) {
	if _, err := Devices(); err != nil {
		if *sizes == "" {
			b.Skipf("NOT CHECKED: %v", err)
		}
		machine(b, simulated.Options{})
	}
	for text := range strings.SplitSeq(cmp.Or(*sizes, "4096,8192"), ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		d := open(b, 0)
		if !d.Multiplies(tensor.Float) {
			b.Skip("NOT CHECKED: there is no cuBLAS")
		}
		q, err := d.NewQueue("")
		if err != nil {
			b.Fatal(err)
		}
		var x [3]devices.Buffer
		host, err := d.AllocHost(4 * n * n)
		if err != nil {
			b.Fatal(err)
		}
		for i := range n * n {
			binary.NativeEndian.PutUint32(host.Bytes()[4*i:], 0x3f800000|uint32(i)&0xffff)
		}
		for i := range x {
			if x[i], err = d.Alloc(4 * n * n); err == nil {
				err = q.Write(x[i], host, 4*n*n)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		l := &devices.Launch{Code: &devices.Code{Entry: "product"}, Product: &devices.Product{Type: tensor.Float, M: n, N: n, K: n}, Args: []devices.Arg{{Buffer: x[0]}, {Buffer: x[1]}, {Buffer: x[2]}}}
		through := func() {
			if err := q.Launch(l); err != nil {
				b.Fatal(err)
			}
		}
		through() // makes the handle
		s := q.(*queue)
		base, at := uintptr(unsafe.Pointer(&s.scratch[0])), func(i int) uintptr { return x[i].(*buffer).address }
		bare := func() {
			if r := int32(s.blas.blas.GemmEx.Call(s.blas.of, api.OpN, api.OpN, uintptr(n), uintptr(n), uintptr(n), base+oneFloat, at(1), api.R32F, uintptr(n),
				at(0), api.R32F, uintptr(n), base+noFloat, at(2), api.R32F, uintptr(n), api.Compute32F, api.GemmDefault)); r != 0 {
				b.Fatal(d.refusal("cublasGemmEx", r))
			}
		}
		for name, multiply := range map[string]func(){"bare": bare, "queue": through} {
			b.Run(name+"/"+text, func(b *testing.B) {
				pinned(d, func() {
					multiply()
					finish(b, q)
					b.ResetTimer()
					for range b.N {
						multiply()
					}
					finish(b, q)
				})
				b.ReportMetric(2*float64(n*n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}

// finish waits for all that a queue has.
func finish(b *testing.B, q devices.Queue) {
	e, err := q.Record()
	if err != nil {
		b.Fatal(err)
	}
	defer e.Release()
	if err := e.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// pinned calls f on a thread on which the context is current.
func pinned(d *Device, f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d.driver.CtxPushCurrent.Call(d.primary.context)
	defer d.driver.CtxPopCurrent.Call(0)
	f()
}
