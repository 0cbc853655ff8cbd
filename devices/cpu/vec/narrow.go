package vec

import (
	"unsafe"

	"github.com/troupe-go/troupe/tensor"
)

// WidenHalf sets dst to x, exactly; see [tensor.Float16.Float32].
func WidenHalf(dst []float32, x []tensor.Float16) {
	x = x[:len(dst)]
	n := 0
	switch isa {
	case avx512:
		n = len(dst) &^ 15
		widenHalfAVX512(dst[:n], words(x))
	case avx2:
		n = len(dst) &^ 7
		widenHalfAVX2(dst[:n], words(x))
	}
	tensor.AppendFloat32s(dst[n:n], x[n:])
}

// NarrowHalf sets dst to x, rounded by [tensor.ToFloat16].
func NarrowHalf(dst []tensor.Float16, x []float32) {
	x = x[:len(dst)]
	n := 0
	switch isa {
	case avx512:
		n = len(dst) &^ 15
		narrowHalfAVX512(words(dst[:n]), x)
	case avx2:
		n = len(dst) &^ 7
		narrowHalfAVX2(words(dst[:n]), x)
	}
	tensor.AppendFloat16s(dst[n:n], x[n:])
}

// WidenBfloat sets dst to x, exactly.
func WidenBfloat(dst []float32, x []tensor.BFloat16) {
	x = x[:len(dst)]
	n := 0
	switch isa {
	case avx512:
		n = len(dst) &^ 15
		widenBfloatAVX512(dst[:n], words(x))
	case avx2:
		n = len(dst) &^ 7
		widenBfloatAVX2(dst[:n], words(x))
	}
	tensor.AppendFloat32s(dst[n:n], x[n:])
}

// NarrowBfloat sets dst to x, rounded by [tensor.ToBFloat16].
func NarrowBfloat(dst []tensor.BFloat16, x []float32) {
	x = x[:len(dst)]
	n := 0
	switch isa {
	case avx512:
		n = len(dst) &^ 15
		narrowBfloatAVX512(words(dst[:n]), x)
	case avx2:
		n = len(dst) &^ 7
		narrowBfloatAVX2(words(dst[:n]), x)
	}
	tensor.AppendBFloat16s(dst[n:n], x[n:])
}

// words is x as its bits.
func words[H tensor.Float16 | tensor.BFloat16](x []H) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
