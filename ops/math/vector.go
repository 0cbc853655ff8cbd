package math

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// The loops on float32 that the CPU device has in assembly.

func (*addFloat32) VV(o, x, y []float32)         { vec.Add(o, x, y) }
func (*addFloat32) VS(o, x []float32, y float32) { vec.AddScalar(o, x, y) }
func (*addFloat32) SV(o []float32, x float32, y []float32) {
	vec.AddScalar(o, y, x)
}

func (*subFloat32) VV(o, x, y []float32)                   { vec.Sub(o, x, y) }
func (*subFloat32) VS(o, x []float32, y float32)           { vec.SubScalar(o, x, y) }
func (*subFloat32) SV(o []float32, x float32, y []float32) { vec.ScalarSub(o, x, y) }

func (*mulFloat32) VV(o, x, y []float32)                   { vec.Mul(o, x, y) }
func (*mulFloat32) VS(o, x []float32, y float32)           { vec.MulScalar(o, x, y) }
func (*mulFloat32) SV(o []float32, x float32, y []float32) { vec.MulScalar(o, y, x) }

func (*realDivFloat32) VV(o, x, y []float32)                   { vec.Div(o, x, y) }
func (*realDivFloat32) VS(o, x []float32, y float32)           { vec.DivScalar(o, x, y) }
func (*realDivFloat32) SV(o []float32, x float32, y []float32) { vec.ScalarDiv(o, x, y) }

func (*maximumFloat32) VV(o, x, y []float32)                   { vec.Max(o, x, y) }
func (*maximumFloat32) VS(o, x []float32, y float32)           { vec.MaxScalar(o, x, y) }
func (*maximumFloat32) SV(o []float32, x float32, y []float32) { vec.MaxScalar(o, y, x) }

func (*minimumFloat32) VV(o, x, y []float32)                   { vec.Min(o, x, y) }
func (*minimumFloat32) VS(o, x []float32, y float32)           { vec.MinScalar(o, x, y) }
func (*minimumFloat32) SV(o []float32, x float32, y []float32) { vec.MinScalar(o, y, x) }

func (*lessFloat32) VV(o []bool, x, y []float32)                 { vec.Less(o, x, y) }
func (*lessFloat32) VS(o []bool, x []float32, y float32)         { vec.LessScalar(o, x, y) }
func (*lessFloat32) SV(o []bool, x float32, y []float32)         { vec.GreaterScalar(o, y, x) }
func (*lessEqualFloat32) VV(o []bool, x, y []float32)            { vec.LessEqual(o, x, y) }
func (*lessEqualFloat32) VS(o []bool, x []float32, y float32)    { vec.LessEqualScalar(o, x, y) }
func (*lessEqualFloat32) SV(o []bool, x float32, y []float32)    { vec.GreaterEqualScalar(o, y, x) }
func (*greaterFloat32) VV(o []bool, x, y []float32)              { vec.Greater(o, x, y) }
func (*greaterFloat32) VS(o []bool, x []float32, y float32)      { vec.GreaterScalar(o, x, y) }
func (*greaterFloat32) SV(o []bool, x float32, y []float32)      { vec.LessScalar(o, y, x) }
func (*greaterEqualFloat32) VV(o []bool, x, y []float32)         { vec.GreaterEqual(o, x, y) }
func (*greaterEqualFloat32) VS(o []bool, x []float32, y float32) { vec.GreaterEqualScalar(o, x, y) }
func (*greaterEqualFloat32) SV(o []bool, x float32, y []float32) { vec.LessEqualScalar(o, y, x) }

// Pairs of these kernels are computed by the loops above, not by those that they embed.

func (k *addFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, float32](k, o, x, y, s)
}

func (k *subFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, float32](k, o, x, y, s)
}

func (k *mulFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, float32](k, o, x, y, s)
}

func (k *realDivFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, float32](k, o, x, y, s)
}

func (k *maximumFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, float32](k, o, x, y, s)
}

func (k *minimumFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, float32](k, o, x, y, s)
}

func (k *lessFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, bool](k, o, x, y, s)
}

func (k *lessEqualFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, bool](k, o, x, y, s)
}

func (k *greaterFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, bool](k, o, x, y, s)
}

func (k *greaterEqualFloat32) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	elementwise.Pairs[float32, bool](k, o, x, y, s)
}

func sign32(o, x []float32) { vec.Sign(o, x) }
