package simulated

import (
	"encoding/binary"
	"math"

	"github.com/troupe-go/troupe/tensor"
)

// blasFunctions are cuBLAS's, by the names that its library exports.
var blasFunctions = map[string]any{
	"cublasCreate_v2":            blasCreate,
	"cublasDestroy_v2":           blasDestroy,
	"cublasSetStream_v2":         blasSetStream,
	"cublasSetWorkspace_v2":      blasSetWorkspace,
	"cublasSetMathMode":          blasSetMathMode,
	"cublasGemmEx":               blasGemm,
	"cublasGemmStridedBatchedEx": blasGemmStridedBatched,
}

// Results of cuBLAS's.
const (
	blasNotInitialized  int32 = 1
	blasInvalidValue    int32 = 7
	blasExecutionFailed int32 = 13
	blasNotSupported    int32 = 15
)

// A blasHandle is what a program multiplies by.
type blasHandle struct {
	context   *context
	stream    *stream // nil: the default one
	workspace *memory // nil: the library's own
	math      int32
}

// blasOf begins a call: the machine, locked, and the handle.
func blasOf(function string, h uintptr) (*Machine, *blasHandle, int32) {
	m, c, r := inContext(function)
	if r != success {
		return m, nil, blasExecutionFailed
	}
	x, ok := handle[*blasHandle](m, function, h)
	if !ok {
		return m, nil, blasNotInitialized
	}
	if x.context != c {
		m.mistake("%s is given a handle of another context", function)
		return m, nil, blasInvalidValue
	}
	return m, x, success
}

func blasCreate(out uintptr) int32 {
	m, c, r := inContext("cublasCreate")
	defer m.mu.Unlock()
	if r != success {
		return blasNotInitialized
	}
	x := &blasHandle{context: c}
	c.handles[x] = struct{}{}
	put64(out, uint64(m.add(x)))
	return success
}

func blasDestroy(h uintptr) int32 {
	m, x, r := blasOf("cublasDestroy", h)
	defer m.mu.Unlock()
	if r == success {
		delete(x.context.handles, x)
		delete(m.handles, h)
	}
	return r
}

func blasSetStream(h, on uintptr) int32 {
	m, x, r := blasOf("cublasSetStream", h)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	s, r := m.streamOf(x.context, "cublasSetStream", on)
	if r != success {
		return blasInvalidValue
	}
	if x.workspace != nil {
		m.mistake("cublasSetStream makes a handle forget its workspace")
	}
	x.stream, x.workspace = s, nil
	return success
}

func blasSetWorkspace(h uintptr, address, n uint64) int32 {
	m, x, r := blasOf("cublasSetWorkspace", h)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	if address%256 != 0 {
		return blasInvalidValue
	}
	mem, _, ok := m.find(x.context, "cublasSetWorkspace", address, n)
	if !ok {
		return blasInvalidValue
	}
	x.workspace = mem
	return success
}

func blasSetMathMode(h uintptr, mode int32) int32 {
	m, x, r := blasOf("cublasSetMathMode", h)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	if mode&^(3|16) != 0 {
		return blasInvalidValue
	}
	x.math = mode
	return success
}

func blasGemm(h uintptr, opA, opB, rows, columns, depth int32, alpha, a uintptr, typeA, lda int32, b uintptr, typeB, ldb int32,
	beta, c uintptr, typeC, ldc, compute, algorithm int32) int32 {
	return gemm("cublasGemmEx", h, opA, opB, rows, columns, depth, alpha, operand{a, typeA, lda, 0}, operand{b, typeB, ldb, 0}, beta, operand{c, typeC, ldc, 0}, 1, compute, algorithm)
}

func blasGemmStridedBatched(h uintptr, opA, opB, rows, columns, depth int32, alpha, a uintptr, typeA, lda int32, strideA int64, b uintptr, typeB, ldb int32, strideB int64,
	beta, c uintptr, typeC, ldc int32, strideC int64, count, compute, algorithm int32) int32 {
	return gemm("cublasGemmStridedBatchedEx", h, opA, opB, rows, columns, depth, alpha, operand{a, typeA, lda, strideA}, operand{b, typeB, ldb, strideB}, beta, operand{c, typeC, ldc, strideC}, count, compute, algorithm)
}

// An operand is matrices column by column, in memory of the device: columns are ld elements
// apart, matrices stride.
type operand struct {
	address  uintptr
	kind, ld int32
	stride   int64
}

// format is how elements of a kind are read and written.
type format struct {
	size int
	get  func([]byte) float64
	put  func([]byte, float64)
}

var formats = map[int32]format{
	0: {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }, func(b []byte, x float64) {
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(x)))
	}},
	1: {8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }, func(b []byte, x float64) {
		binary.LittleEndian.PutUint64(b, math.Float64bits(x))
	}},
	2: {2, func(b []byte) float64 { return float64(tensor.Float16(binary.LittleEndian.Uint16(b)).Float32()) }, func(b []byte, x float64) {
		binary.LittleEndian.PutUint16(b, uint16(tensor.ToFloat16(float32(x))))
	}},
	14: {2, func(b []byte) float64 {
		return float64(tensor.BFloat16(binary.LittleEndian.Uint16(b)).Float32())
	}, func(b []byte, x float64) {
		binary.LittleEndian.PutUint16(b, uint16(tensor.ToBFloat16(float32(x))))
	}},
}

// columnsOf returns the matrices of an operand of rows by columns: how to get an element. It says
// false where they are not in memory.
func (m *Machine) columnsOf(c *context, function string, o operand, rows, columns, count int32) (*memory, func(batch, i, j int) []byte, bool) {
	f, ok := formats[o.kind]
	if !ok || o.ld < max(1, rows) || o.stride < 0 {
		return nil, nil, false
	}
	last := int64(count-1)*o.stride + int64(columns-1)*int64(o.ld) + int64(rows)
	mem, from, ok := m.find(c, function, uint64(o.address), uint64(last)*uint64(f.size))
	if !ok {
		return nil, nil, false
	}
	bytes := mem.bytes
	return mem, func(batch, i, j int) []byte {
		return bytes[int64(from)+(int64(batch)*o.stride+int64(j)*int64(o.ld)+int64(i))*int64(f.size):]
	}, true
}

// gemm is C = α·opA(A)·opB(B) + β·C, for each of count matrices.
func gemm(function string, h uintptr, opA, opB, rows, columns, depth int32, alpha uintptr, a, b operand, beta uintptr, c operand, count, compute, algorithm int32) int32 {
	m, x, r := blasOf(function, h)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	if x.stream == nil {
		m.mistake("%s is in the default stream", function)
		return blasInvalidValue
	}
	if x.math&3 != 0 {
		m.mistake("%s may round to TF32", function)
	}
	double := compute == 70
	if opA < 0 || opA > 1 || opB < 0 || opB > 1 || rows < 1 || columns < 1 || depth < 1 || count < 1 || alpha == 0 || beta == 0 {
		return blasInvalidValue
	}
	if compute != 68 && !double || a.kind != b.kind || a.kind != c.kind || double != (a.kind == 1) || algorithm != -1 {
		return blasNotSupported
	}
	shape := func(op, rows, columns int32) (int32, int32) {
		if op == 1 {
			return columns, rows
		}
		return rows, columns
	}
	rowsA, columnsA := shape(opA, rows, depth)
	rowsB, columnsB := shape(opB, depth, columns)
	memA, atA, ok1 := m.columnsOf(x.context, function, a, rowsA, columnsA, count)
	memB, atB, ok2 := m.columnsOf(x.context, function, b, rowsB, columnsB, count)
	memC, atC, ok3 := m.columnsOf(x.context, function, c, rows, columns, count)
	if !ok1 || !ok2 || !ok3 || c.stride < int64(columns-1)*int64(c.ld)+int64(rows) && count > 1 {
		return blasInvalidValue
	}
	factor := func(at uintptr) float64 {
		if double {
			return formats[1].get(raw(at, 8))
		}
		return formats[0].get(raw(at, 4))
	}
	one, rest := factor(alpha), factor(beta)
	f := formats[a.kind]
	w := &work{name: function, uses: []use{{memA, false}, {memB, false}, {memC, true}}}
	if x.workspace != nil {
		w.uses = append(w.uses, use{x.workspace, true})
	}
	w.run = func() int32 {
		for batch := range int(count) {
			for j := range int(columns) {
				for i := range int(rows) {
					exact, sum := 0.0, float32(0)
					for l := range int(depth) {
						ia, ja, ib, jb := i, l, l, j
						if opA == 1 {
							ia, ja = ja, ia
						}
						if opB == 1 {
							ib, jb = jb, ib
						}
						va, vb := f.get(atA(batch, ia, ja)), f.get(atB(batch, ib, jb))
						if double {
							exact += va * vb
						} else {
							sum += float32(va) * float32(vb)
						}
					}
					if !double {
						exact = float64(sum)
					}
					result := one * exact
					if rest != 0 { // else what is there does not count, also if it is no number
						result += rest * f.get(atC(batch, i, j))
					}
					f.put(atC(batch, i, j), result)
				}
			}
		}
		return success
	}
	x.stream.put(w)
	return success
}
