package elementwise

import "github.com/troupe-go/troupe/tensor"

// The 16-bit floating-point types compute in float32; a numeric result is rounded.

// Half1 is f on half.
func Half1(f func(float32) float32) func(tensor.Float16) tensor.Float16 {
	return func(x tensor.Float16) tensor.Float16 { return tensor.ToFloat16(f(x.Float32())) }
}

// Bfloat1 is f on bfloat16.
func Bfloat1(f func(float32) float32) func(tensor.BFloat16) tensor.BFloat16 {
	return func(x tensor.BFloat16) tensor.BFloat16 { return tensor.ToBFloat16(f(x.Float32())) }
}

// Half2 is f on half.
func Half2(f func(x, y float32) float32) func(x, y tensor.Float16) tensor.Float16 {
	return func(x, y tensor.Float16) tensor.Float16 {
		return tensor.ToFloat16(f(x.Float32(), y.Float32()))
	}
}

// Bfloat2 is f on bfloat16.
func Bfloat2(f func(x, y float32) float32) func(x, y tensor.BFloat16) tensor.BFloat16 {
	return func(x, y tensor.BFloat16) tensor.BFloat16 {
		return tensor.ToBFloat16(f(x.Float32(), y.Float32()))
	}
}

type narrow interface {
	tensor.Float16 | tensor.BFloat16
	Float32() float32
}

// Test1 is f on half or bfloat16.
func Test1[T narrow](f func(float32) bool) func(T) bool {
	return func(x T) bool { return f(x.Float32()) }
}

// Test2 is f on half or bfloat16.
func Test2[T narrow](f func(x, y float32) bool) func(x, y T) bool {
	return func(x, y T) bool { return f(x.Float32(), y.Float32()) }
}
