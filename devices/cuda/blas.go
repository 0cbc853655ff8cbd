package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A multiplier is a device's use of cuBLAS. Each queue has a handle and a workspace of its
// own: then the same product gives the same bits each time, whatever other queues do.
type multiplier struct {
	once  sync.Once
	blas  *api.BLAS
	spare uintptr // the handle that showed that there may be handles
}

// A handle is what a queue multiplies by.
type handle struct {
	blas      *api.BLAS
	of        uintptr
	workspace uintptr // 0: it is the library's own
}

// workspaceBytes returns what NVIDIA recommends, by compute capability.
func workspaceBytes(capability int) uintptr {
	if capability >= 90 {
		return 32 << 20
	}
	return 4 << 20
}

// A number is how cuBLAS has elements of a type, and computes with them.
type number struct {
	data, compute uintptr
	double        bool // α and β are doubles
}

var numbers = map[tensor.DType]number{
	tensor.Float: {api.R32F, api.Compute32F, false}, tensor.Double: {api.R64F, api.Compute64F, true},
	tensor.Half: {api.R16F, api.Compute32F, false}, tensor.Bfloat16: {api.R16BF, api.Compute32F, false},
}

// Multiplies reports whether products of a type are cuBLAS's: it is there, and works.
func (d *Device) Multiplies(t tensor.DType) bool {
	if _, ok := numbers[t]; !ok {
		return false
	}
	d.multiplier.once.Do(func() {
		blas, err := api.FindBLAS()
		if err != nil {
			return
		}
		if r := d.do(blas.Create, uintptr(unsafe.Pointer(&d.multiplier.spare))); r == 0 {
			d.multiplier.blas = blas
		}
	})
	return d.multiplier.blas != nil
}

var _ devices.Multiplier = (*Device)(nil)

// firstOfDriver is the least of the driver's results that are no cuBLAS's, too.
const firstOfDriver = 100

// refusal returns a result of cuBLAS's as an error, or of the driver's, which is called before;
// nil for success.
func (d *Device) refusal(call string, result int32) error {
	if result == 0 {
		return nil
	}
	if result >= firstOfDriver {
		return d.failure(call, result)
	}
	if _, _, err := d.primary.memory(); status.CodeOf(err) == status.Unavailable {
		return status.Within(err, "%s", call) // cuBLAS does not say that the context has ended
	}
	code, name := status.Internal, fmt.Sprint(result)
	switch result {
	case api.BLASNotInitialized:
		name = "CUBLAS_STATUS_NOT_INITIALIZED"
	case api.BLASAllocFailed:
		code, name = status.ResourceExhausted, "CUBLAS_STATUS_ALLOC_FAILED"
	case api.BLASInvalidValue:
		name = "CUBLAS_STATUS_INVALID_VALUE"
	case api.BLASArchMismatch:
		code, name = status.Unimplemented, "CUBLAS_STATUS_ARCH_MISMATCH"
	case api.BLASExecutionFailed:
		name = "CUBLAS_STATUS_EXECUTION_FAILED"
	case api.BLASInternal:
		name = "CUBLAS_STATUS_INTERNAL_ERROR"
	case api.BLASNotSupported:
		code, name = status.Unimplemented, "CUBLAS_STATUS_NOT_SUPPORTED"
	}
	return status.Errorf(code, "cuBLAS: %s answers %s", call, name)
}

// multiplying returns the queue's handle.
func (q *queue) multiplying() (*handle, error) {
	if q.blas != nil {
		return q.blas, nil
	}
	d := q.device
	h := &handle{blas: d.multiplier.blas}
	d.mu.Lock()
	h.of, d.multiplier.spare = d.multiplier.spare, 0
	d.mu.Unlock()
	if h.of == 0 {
		if err := d.refusal("cublasCreate", d.do(h.blas.Create, uintptr(unsafe.Pointer(&h.of)))); err != nil {
			return nil, err
		}
	}
	q.blas = h // which closing records, whatever follows
	n := workspaceBytes(d.capability)
	if d.do(d.driver.MemAlloc, uintptr(unsafe.Pointer(&h.workspace)), n) != 0 {
		h.workspace = 0
	}
	if err := d.refusal("cublasSetStream", d.do(h.blas.SetStream, h.of, q.handle)); err != nil { // first: it forgets the workspace
		return nil, err
	}
	if h.workspace != 0 {
		if err := d.refusal("cublasSetWorkspace", d.do(h.blas.SetWorkspace, h.of, h.workspace, n)); err != nil {
			return nil, err
		}
	}
	// Sums of half and bfloat16 are floats to the end, floats are not rounded to TF32.
	return h, d.refusal("cublasSetMathMode", d.do(h.blas.SetMathMode, h.of, api.DefaultMath|api.WideReductions))
}

// Places in a queue's scratch, behind a launch's arguments: 1 and 0 as floats and doubles.
const (
	oneFloat = 2 * 8 * mostArgs
	noFloat  = oneFloat + 4
	oneReal  = oneFloat + 8
	noReal   = oneFloat + 16
	scratch  = oneFloat + 24
)

// factors puts them there.
func factors(b []byte) {
	binary.NativeEndian.PutUint32(b[oneFloat:], math.Float32bits(1))
	binary.NativeEndian.PutUint64(b[oneReal:], math.Float64bits(1))
}

// multiply does a product. cuBLAS has columns where rows are here: what it takes for
// matrices are their transposes, so it is told to compute zᵀ = yᵀ·xᵀ.
func (q *queue) multiply(l *devices.Launch) error {
	p := l.Product
	kind, ok := numbers[p.Type]
	if !ok || !q.device.Multiplies(p.Type) {
		return status.Errorf(status.Unimplemented, "%s has no library for products of %v", q.device.attributes.Name, p.Type)
	}
	if len(l.Args) != 3 {
		return status.Errorf(status.Internal, "a product has %d arguments", len(l.Args))
	}
	var at [3]uintptr
	for i, a := range l.Args {
		b, err := q.own(a.Buffer)
		if err != nil {
			return status.Within(err, "%s: argument %d", l.Code.Entry, i)
		}
		at[i] = b.address
	}
	h, err := q.multiplying()
	if err != nil {
		return err
	}
	base := uintptr(unsafe.Pointer(&q.scratch[0])) // not the collector's
	one, no := base+oneFloat, base+noFloat
	if kind.double {
		one, no = base+oneReal, base+noReal
	}
	m, n, k, size := uintptr(p.M), uintptr(p.N), uintptr(p.K), int64(p.Type.Size())
	opX, opY, xld, yld := uintptr(api.OpN), uintptr(api.OpN), k, n
	if p.TransX {
		opX, xld = api.OpT, m
	}
	if p.TransY {
		opY, yld = api.OpT, k
	}
	inner := len(p.Batches) - 1
	if inner < 0 {
		return q.device.refusal("cublasGemmEx", q.device.do(h.blas.GemmEx, h.of, opY, opX, n, m, k, one, at[1], kind.data, yld, at[0], kind.data, xld,
			no, at[2], kind.data, n, kind.compute, api.GemmDefault))
	}
	index, x, y, z := make([]int64, inner), at[0], at[1], at[2]
	for {
		r := q.device.do(h.blas.GemmStridedBatchedEx, h.of, opY, opX, n, m, k, one, y, kind.data, yld, uintptr(p.YStrides[inner]),
			x, kind.data, xld, uintptr(p.XStrides[inner]), no, z, kind.data, n, m*n, uintptr(p.Batches[inner]), kind.compute, api.GemmDefault)
		if r != 0 {
			return q.device.refusal("cublasGemmStridedBatchedEx", r)
		}
		z += m * n * uintptr(p.Batches[inner]*size)
		d := inner - 1
		for ; d >= 0; d-- { // the next of the dimensions before
			index[d]++
			x, y = x+uintptr(p.XStrides[d]*size), y+uintptr(p.YStrides[d]*size)
			if index[d] < p.Batches[d] {
				break
			}
			x, y, index[d] = x-uintptr(p.Batches[d]*p.XStrides[d]*size), y-uintptr(p.Batches[d]*p.YStrides[d]*size), 0
		}
		if d < 0 {
			return nil
		}
	}
}

// done takes a handle down; the streams are empty. life is held.
func (h *handle) done(d *Device) {
	d.primary.do(h.blas.Destroy, h.of)
	if h.workspace != 0 {
		d.primary.do(d.driver.MemFree, h.workspace)
	}
}
