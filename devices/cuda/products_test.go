package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// elements of a type, from and to bytes.
func element(t tensor.DType, b []byte, i int64) float64 {
	switch t {
	case tensor.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	case tensor.Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	case tensor.Half:
		return float64(tensor.Float16(binary.LittleEndian.Uint16(b[2*i:])).Float32())
	}
	return float64(tensor.BFloat16(binary.LittleEndian.Uint16(b[2*i:])).Float32())
}

func setElement(t tensor.DType, b []byte, i int64, x float64) {
	switch t {
	case tensor.Double:
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
	case tensor.Float:
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(x)))
	case tensor.Half:
		binary.LittleEndian.PutUint16(b[2*i:], uint16(tensor.ToFloat16(float32(x))))
	default:
		binary.LittleEndian.PutUint16(b[2*i:], uint16(tensor.ToBFloat16(float32(x))))
	}
}

// multiplied computes a product on a device, of small integers, for which every type is
// exact, and compares it with a plain loop. Memory of z is longer than z, to see that no more
// is written.
func multiplied(d *Device, q devices.Queue, p devices.Product, xs, ys int64) error {
	size, batches := int64(p.Type.Size()), int64(1)
	for _, n := range p.Batches {
		batches *= n
	}
	zs := batches*p.M*p.N + 3
	var buffers [3]devices.Buffer
	var hosts [3]devices.HostBuffer
	for i, n := range []int64{xs, ys, zs} {
		var err1, err2 error
		buffers[i], err1 = d.Alloc(n * size)
		hosts[i], err2 = d.AllocHost(n * size)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		for k := range n {
			setElement(p.Type, hosts[i].Bytes(), k, float64(rng.IntN(7)-3))
		}
		if err := q.Write(buffers[i], hosts[i], n*size); err != nil {
			return err
		}
	}
	read := append([]byte(nil), hosts[2].Bytes()...)
	if err := q.Launch(&devices.Launch{Code: &devices.Code{Entry: "product"}, Product: &p, Args: []devices.Arg{
		{Buffer: buffers[0], Access: devices.Reads}, {Buffer: buffers[1], Access: devices.Reads}, {Buffer: buffers[2], Access: devices.Writes},
	}}); err != nil {
		return err
	}
	if err := q.Read(hosts[2], buffers[2], zs*size); err != nil {
		return err
	}
	e, err := q.Record()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	e.Notify(func(err error) { done <- err })
	e.Release()
	if err := <-done; err != nil {
		return err
	}
	for batch := range batches {
		xAt, yAt, rest := int64(0), int64(0), batch
		for i := len(p.Batches) - 1; i >= 0; i-- {
			xAt += rest % p.Batches[i] * p.XStrides[i]
			yAt += rest % p.Batches[i] * p.YStrides[i]
			rest /= p.Batches[i]
		}
		for row := range p.M {
			for column := range p.N {
				sum := 0.0
				for k := range p.K {
					xi, yi := row*p.K+k, k*p.N+column
					if p.TransX {
						xi = k*p.M + row
					}
					if p.TransY {
						yi = column*p.K + k
					}
					sum += element(p.Type, hosts[0].Bytes(), xAt+xi) * element(p.Type, hosts[1].Bytes(), yAt+yi)
				}
				setElement(p.Type, read, (batch*p.M+row)*p.N+column, sum)
			}
		}
	}
	for i := range zs {
		if got, want := element(p.Type, hosts[2].Bytes(), i), element(p.Type, read, i); got != want {
			return fmt.Errorf("%+v: element %d is %v, not %v", p, i, got, want)
		}
	}
	return nil
}

// products are of all shapes that matter: what is transposed, and how operands go through
// batches.
func products(t tensor.DType) (all []devices.Product) {
	for i := range 4 {
		p := devices.Product{Type: t, M: 5, N: 7, K: 3, TransX: i&1 != 0, TransY: i&2 != 0}
		all = append(all, p)
		p.Batches, p.XStrides, p.YStrides = []int64{4}, []int64{15}, []int64{21}
		all = append(all, p)
		p.Batches, p.XStrides, p.YStrides = []int64{4}, []int64{0}, []int64{21}
		all = append(all, p)
		p.Batches, p.XStrides, p.YStrides = []int64{2, 3, 2}, []int64{15, 0, 30}, []int64{0, 42, 21}
		all = append(all, p)
	}
	return append(all, devices.Product{Type: t, M: 1, N: 1, K: 9}, devices.Product{Type: t, M: 1, N: 9, K: 1}, devices.Product{Type: t, M: 9, N: 1, K: 2, TransX: true})
}

// extent returns how many elements operands have.
func extent(matrix int64, batches, strides []int64) int64 {
	for i, n := range batches {
		matrix += (n - 1) * strides[i]
	}
	return matrix
}

func multiplyAll(d *Device, types ...tensor.DType) error {
	q, err := d.NewQueue("")
	if err != nil {
		return err
	}
	for _, t := range types {
		if !d.Multiplies(t) {
			err = errors.Join(err, fmt.Errorf("products of %v are not done", t))
		}
		for _, p := range products(t) {
			err = errors.Join(err, multiplied(d, q, p, extent(p.M*p.K, p.Batches, p.XStrides), extent(p.K*p.N, p.Batches, p.YStrides)))
		}
	}
	return err
}

// TestProducts compares products of cuBLAS's, simulated column by column, with plain loops.
func TestProducts(t *testing.T) {
	m := machine(t, simulated.Options{})
	d := open(t, 0)
	if err := multiplyAll(d, tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16); err != nil {
		t.Error(err)
	}
	if m.Calls("cublasGemmEx") == 0 || m.Calls("cublasGemmStridedBatchedEx") == 0 || m.Calls("cuLaunchKernel") != 0 {
		t.Error("cuBLAS was not called, or code was")
	}
	if d.Multiplies(tensor.Int32) {
		t.Error("cuBLAS has products of int32")
	}
	other := open(t, 0)
	x, err1 := d.Alloc(36)
	q, err2 := other.NewQueue("")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	l := &devices.Launch{Code: &devices.Code{Entry: "product"}, Product: &devices.Product{Type: tensor.Float, M: 3, N: 3, K: 3}, Args: []devices.Arg{{Buffer: x}, {Buffer: x}, {Buffer: x}}}
	if err := q.Launch(l); status.CodeOf(err) != status.Internal {
		t.Errorf("of another device's memory: %v", err)
	}
}

// TestNoBLAS: where there is no cuBLAS, or it does not work, products are code's.
func TestNoBLAS(t *testing.T) {
	machine(t, simulated.Options{NoBLAS: true})
	d := open(t, 0)
	if d.Multiplies(tensor.Float) {
		t.Error("there is a library")
	}
	q, err := d.NewQueue("")
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Launch(&devices.Launch{Code: &devices.Code{Entry: "product"}, Product: &devices.Product{Type: tensor.Float}}); status.CodeOf(err) != status.Unimplemented {
		t.Error(err)
	}
}

// exchange has two arguments of a function exchanged.
func exchange(f *dynamic.Function, i, j int) {
	otherwise(f, func(args []uintptr) { args[i], args[j] = args[j], args[i] })
}

// blasMutants are mistakes in calling cuBLAS.
var blasMutants = []struct {
	name  string
	plant func(b *api.BLAS)
	want  string
}{
	{"operands are exchanged", func(b *api.BLAS) { exchange(&b.GemmEx, 7, 10) }, "not allocated on the device"},
	{"transpositions are exchanged", func(b *api.BLAS) { exchange(&b.GemmEx, 1, 2) }, "not allocated on the device"},
	{"transpositions are left out", func(b *api.BLAS) {
		otherwise(&b.GemmEx, func(args []uintptr) { args[1], args[2] = 0, 0 })
	}, "not allocated on the device"},
	{"rows and columns are exchanged", func(b *api.BLAS) { exchange(&b.GemmEx, 3, 4) }, "not allocated on the device"},
	{"distances of columns are exchanged", func(b *api.BLAS) { exchange(&b.GemmEx, 9, 12) }, "not allocated on the device"},
	{"factors are exchanged", func(b *api.BLAS) { exchange(&b.GemmEx, 6, 13) }, "element 0 is -3, not 9"},
	{"halves are taken for bfloat16", func(b *api.BLAS) {
		otherwise(&b.GemmEx, func(args []uintptr) {
			for _, i := range []int{8, 11, 15} {
				if args[i] == 2 {
					args[i] = 14
				}
			}
		})
	}, "Type:half"},
	{"doubles are computed in float", func(b *api.BLAS) {
		otherwise(&b.GemmEx, func(args []uintptr) { args[17] = api.Compute32F })
	}, "CUBLAS_STATUS_NOT_SUPPORTED"},
	{"strides are exchanged", func(b *api.BLAS) { exchange(&b.GemmStridedBatchedEx, 10, 14) }, "not allocated on the device"},
	{"strides are bytes", func(b *api.BLAS) {
		otherwise(&b.GemmStridedBatchedEx, func(args []uintptr) { args[10] *= 4 })
	}, "not allocated"},
	{"one of the batch is left out", func(b *api.BLAS) {
		otherwise(&b.GemmStridedBatchedEx, func(args []uintptr) { args[20]-- })
	}, "element"},
	{"the result's distance of columns is that of rows", func(b *api.BLAS) {
		otherwise(&b.GemmStridedBatchedEx, func(args []uintptr) { args[18] = args[4] })
	}, "CUBLAS_STATUS_INVALID_VALUE"},
	{"the stream is not set", func(b *api.BLAS) { never(&b.SetStream) }, "in the default stream"},
	{"the stream is set after the workspace", func(b *api.BLAS) {
		set, stream := b.SetStream, uintptr(0)
		instead(&b.SetStream, func(call func(...uintptr) int32, h, s, _, _ uintptr) int32 { stream = s; return call(h, s) })
		instead(&b.SetWorkspace, func(call func(...uintptr) int32, h, at, n, _ uintptr) int32 {
			r := call(h, at, n)
			set.Call(h, stream)
			return r
		})
	}, "forget its workspace"},
	{"floats are rounded to TF32", func(b *api.BLAS) {
		with(&b.SetMathMode, func(h, _, _, _ uintptr) []uintptr { return []uintptr{h, 3} })
	}, "may round to TF32"},
	{"handles stay", func(b *api.BLAS) { never(&b.Destroy) }, "handles of cuBLAS"},
	{"all queues have one handle", func(b *api.BLAS) {
		one := uintptr(0)
		instead(&b.Create, func(call func(...uintptr) int32, out, _, _, _ uintptr) int32 {
			if one == 0 {
				r := call(out)
				one = uintptr(binary.NativeEndian.Uint64(dynamic.Bytes(out, 8)))
				return r
			}
			binary.NativeEndian.PutUint64(dynamic.Bytes(out, 8), uint64(one))
			return 0
		})
	}, "forget its workspace"},
}

// TestProductMutants: each mistake is found.
func TestProductMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("mistakes of order are data races, too, which the detector would report")
	}
	for _, x := range blasMutants {
		m := install(t, simulated.Options{})
		driver, err1 := api.Find()
		blas, err2 := api.FindBLAS()
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		wrong := *blas
		taken = 0
		x.plant(&wrong)
		restore := api.Replace(&api.Libraries{Driver: driver, BLAS: &wrong})
		d, err := Open(0, devices.Options{})
		if err == nil {
			err = errors.Join(multiplyAll(d, tensor.Float, tensor.Half, tensor.Double), multiplyAll(d, tensor.Float), d.Close())
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
