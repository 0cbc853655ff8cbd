package math

import "github.com/troupe-go/troupe/devices/cpu/vec"

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
