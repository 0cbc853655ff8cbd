package parsing

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A feature is a list of values of one type: float, int64 or string. Its type
// is Invalid if the message names the feature but gives it no list.
type feature struct {
	dt     tensor.DType
	floats []float32
	ints   []int64
	texts  []string
}

func (f *feature) len() int { return len(f.floats) + len(f.ints) + len(f.texts) }

// copyTo sets elements of v, which has the feature's type, from at on.
func (f *feature) copyTo(v *tensor.Value, at int) {
	switch f.dt {
	case tensor.Float:
		copy(tensor.Of[float32](v)[at:], f.floats)
	case tensor.Int64:
		copy(tensor.Of[int64](v)[at:], f.ints)
	case tensor.String:
		copy(tensor.Of[string](v)[at:], f.texts)
	}
}

// parseExample reads the features of a serialized Example. Of several of one
// name the last counts.
func parseExample(s string) (map[string]*feature, error) {
	all := map[string]*feature{}
	ok := fields([]byte(s), func(n protowire.Number, features []byte) bool {
		return n != 1 || fields(features, func(n protowire.Number, entry []byte) bool {
			if n != 1 {
				return true
			}
			key, f := "", &feature{}
			ok := fields(entry, func(n protowire.Number, b []byte) bool {
				switch n {
				case 1:
					key = string(b)
				case 2:
					f = &feature{}
					return fields(b, f.list)
				}
				return true
			})
			all[key] = f
			return ok
		})
	})
	if !ok {
		return nil, status.Invalid("Could not parse example input, value: '%s'", s)
	}
	return all, nil
}

// fields calls f for each field of a message that holds bytes, and passes over
// the others. It answers false if the message is malformed or f does.
func fields(b []byte, f func(n protowire.Number, b []byte) bool) bool {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return false
		}
		b = b[size:]
		if kind != protowire.BytesType {
			if size = protowire.ConsumeFieldValue(n, kind, b); size < 0 {
				return false
			}
			b = b[size:]
			continue
		}
		v, size := protowire.ConsumeBytes(b)
		if size < 0 || !f(n, v) {
			return false
		}
		b = b[size:]
	}
	return true
}

// list reads one of a Feature's lists.
func (f *feature) list(n protowire.Number, b []byte) bool {
	switch n {
	case 1:
		*f = feature{dt: tensor.String}
		return fields(b, func(n protowire.Number, b []byte) bool {
			if n == 1 {
				f.texts = append(f.texts, string(b))
			}
			return true
		})
	case 2:
		*f = feature{dt: tensor.Float}
		return numbers(b, protowire.Fixed32Type, func(b []byte) int {
			x, n := protowire.ConsumeFixed32(b)
			f.floats = append(f.floats, math.Float32frombits(x))
			return n
		})
	case 3:
		*f = feature{dt: tensor.Int64}
		return numbers(b, protowire.VarintType, func(b []byte) int {
			x, n := protowire.ConsumeVarint(b)
			f.ints = append(f.ints, int64(x))
			return n
		})
	}
	return true
}

// numbers reads field 1 of a list, packed or not. one reads a number and says
// how many bytes it has.
func numbers(b []byte, kind protowire.Type, one func(b []byte) int) bool {
	for len(b) > 0 {
		n, k, size := protowire.ConsumeTag(b)
		if size < 0 {
			return false
		}
		b = b[size:]
		switch {
		case n == 1 && k == kind:
			size = one(b)
		case n == 1 && k == protowire.BytesType:
			var packed []byte
			packed, size = protowire.ConsumeBytes(b)
			for len(packed) > 0 {
				used := one(packed)
				if used < 0 {
					return false
				}
				packed = packed[used:]
			}
		default:
			size = protowire.ConsumeFieldValue(n, k, b)
		}
		if size < 0 {
			return false
		}
		b = b[size:]
	}
	return true
}
