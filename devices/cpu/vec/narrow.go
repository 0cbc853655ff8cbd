package vec

import (
	"unsafe"

	"github.com/troupe-go/troupe/tensor"
)

// WidenHalf sets dst to x, exactly; see [tensor.Float16.Float32].
func WidenHalf(dst []float32, x []tensor.Float16) {
	n := whole(len(dst))
	choose(widenHalfAVX512, widenHalfAVX2, nothing)(dst[:n], words(x[:len(dst)]))
	tensor.AppendFloat32s(dst[n:n], x[n:len(dst)])
}

// NarrowHalf sets dst to x, rounded by [tensor.ToFloat16].
func NarrowHalf(dst []tensor.Float16, x []float32) {
	n := whole(len(dst))
	choose(narrowHalfAVX512, narrowHalfAVX2, nothing)(words(dst[:n]), x[:len(dst)])
	tensor.AppendFloat16s(dst[n:n], x[n:len(dst)])
}

// WidenBfloat sets dst to x, exactly.
func WidenBfloat(dst []float32, x []tensor.BFloat16) {
	n := whole(len(dst))
	choose(widenBfloatAVX512, widenBfloatAVX2, nothing)(dst[:n], words(x[:len(dst)]))
	tensor.AppendFloat32s(dst[n:n], x[n:len(dst)])
}

// NarrowBfloat sets dst to x, rounded by [tensor.ToBFloat16].
func NarrowBfloat(dst []tensor.BFloat16, x []float32) {
	n := whole(len(dst))
	choose(narrowBfloatAVX512, narrowBfloatAVX2, nothing)(words(dst[:n]), x[:len(dst)])
	tensor.AppendBFloat16s(dst[n:n], x[n:len(dst)])
}

// nothing leaves all elements to Go.
func nothing[D, X any](dst []D, x []X) {}

// words is x as its bits.
func words[H tensor.Float16 | tensor.BFloat16](x []H) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
