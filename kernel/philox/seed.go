package philox

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// FromSeed turns a seed, a vector of two numbers, into a generator, by drawing its
// key and counter from another.
func FromSeed(v *tensor.Value) (Generator, error) {
	seed, err := Seed(v)
	if err != nil {
		return Generator{}, err
	}
	mix := Generator{
		Key:     [2]uint32{0x3ec8f720, 0x02461e29},
		Counter: [4]uint32{uint32(seed[0]), uint32(seed[0] >> 32), uint32(seed[1]), uint32(seed[1] >> 32)},
	}
	x := mix.Next()
	return Generator{Key: [2]uint32{x[0], x[1]}, Counter: [4]uint32{0, 0, x[2], x[3]}}, nil
}

// Seed reads a vector of two integers of 32 or 64 bits.
func Seed(v *tensor.Value) (seed [2]uint64, err error) {
	if v.Rank() != 1 || v.NumElements() != 2 {
		return seed, status.Invalid("seed must have shape [2], not %s", tensor.FormatDims(v.Dims()))
	}
	for i := range seed {
		switch v.DType() {
		case tensor.Int32:
			seed[i] = uint64(tensor.Of[int32](v)[i])
		case tensor.Uint32:
			seed[i] = uint64(tensor.Of[uint32](v)[i])
		case tensor.Int64:
			seed[i] = uint64(tensor.Of[int64](v)[i])
		default:
			seed[i] = tensor.Of[uint64](v)[i]
		}
	}
	return seed, nil
}
