package parsing

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
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

// bytes returns how much memory the feature takes, with its place in a map.
func (f *feature) bytes() int {
	n := 200 + 4*cap(f.floats) + 8*cap(f.ints) + 16*cap(f.texts)
	for _, s := range f.texts {
		n += len(s)
	}
	return n
}

// charged parses a message, and charges what comes of it as long as the kernel runs: a few
// bytes may become many. What parsing takes besides is charged until it has ended.
func charged(ctx *kernel.Context, s string, parse func() (bytes int, err error)) error {
	if err := ctx.Reserve(len(s)); err != nil { // for a copy
		return err
	}
	n, err := parse()
	ctx.Unreserve(len(s))
	if err != nil {
		return err
	}
	return ctx.Reserve(n)
}

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
	message := wire.NewCursor("Example", []byte(s))
	for message.Next() {
		if !message.IsBytes(1) {
			continue
		}
		if !parseFeatures(message.Message("Features"), all) {
			return nil, badExample(s)
		}
	}
	if message.Err() != nil {
		return nil, badExample(s)
	}
	return all, nil
}

// parseFeatures adds the features of a Features message; false if it is none.
func parseFeatures(features wire.Cursor, all map[string]*feature) bool {
	for features.Next() {
		if !features.IsBytes(1) {
			continue
		}
		key, f, err := parseEntry(features.Message("Features.feature"))
		if err != nil {
			return false
		}
		all[key] = f
	}
	return features.Err() == nil
}

// parseSequence reads the features of a serialized SequenceExample: those of its
// context, and its lists. Of several of one name the last counts.
func parseSequence(s string) (context map[string]*feature, lists map[string][]*feature, err error) {
	context, lists = map[string]*feature{}, map[string][]*feature{}
	bad := func() (map[string]*feature, map[string][]*feature, error) {
		return nil, nil, status.Invalid("Could not parse sequence example input, value: '%s'", s)
	}
	message := wire.NewCursor("SequenceExample", []byte(s))
	for message.Next() {
		switch {
		case message.IsBytes(1):
			if !parseFeatures(message.Message("Features"), context) {
				return bad()
			}
		case message.IsBytes(2):
			all := message.Message("FeatureLists")
			for all.Next() {
				if !all.IsBytes(1) {
					continue
				}
				key, list, err := parseListEntry(all.Message("FeatureLists.feature_list"))
				if err != nil {
					return bad()
				}
				lists[key] = list
			}
			if all.Err() != nil {
				return bad()
			}
		}
	}
	if message.Err() != nil {
		return bad()
	}
	return context, lists, nil
}

// parseListEntry reads an entry of the map from names to lists of features.
func parseListEntry(c wire.Cursor) (key string, list []*feature, err error) {
	for c.Next() {
		switch {
		case c.IsBytes(1):
			key = string(c.Body())
		case c.IsBytes(2):
			features := c.Message("FeatureList")
			for features.Next() {
				if !features.IsBytes(1) {
					continue
				}
				f := &feature{}
				kinds := features.Message("Feature")
				for kinds.Next() {
					if err := f.list(&kinds); err != nil {
						return "", nil, err
					}
				}
				if err := kinds.Err(); err != nil {
					return "", nil, err
				}
				list = append(list, f)
			}
			if err := features.Err(); err != nil {
				return "", nil, err
			}
		}
	}
	return key, list, c.Err()
}

func badExample(s string) error {
	return status.Invalid("Could not parse example input, value: '%s'", s)
}

// parseEntry reads an entry of the map from names to features.
func parseEntry(c wire.Cursor) (key string, f *feature, err error) {
	f = &feature{}
	for c.Next() {
		switch {
		case c.IsBytes(1):
			key = string(c.Body())
		case c.IsBytes(2):
			f = &feature{}
			list := c.Message("Feature")
			for list.Next() {
				if err := f.list(&list); err != nil {
					return "", nil, err
				}
			}
			if err := list.Err(); err != nil {
				return "", nil, err
			}
		}
	}
	return key, f, c.Err()
}

// list reads one of a Feature's lists.
func (f *feature) list(list *wire.Cursor) error {
	switch {
	case list.IsBytes(1):
		*f = feature{dt: tensor.String}
		c := list.Message("BytesList")
		for c.Next() {
			if c.IsBytes(1) {
				f.texts = append(f.texts, string(c.Body()))
			}
		}
		return c.Err()
	case list.IsBytes(2):
		*f = feature{dt: tensor.Float}
		return numbers(list.Message("FloatList"), protowire.Fixed32Type, func(x uint64) {
			f.floats = append(f.floats, math.Float32frombits(uint32(x)))
		})
	case list.IsBytes(3):
		*f = feature{dt: tensor.Int64}
		return numbers(list.Message("Int64List"), protowire.VarintType, func(x uint64) {
			f.ints = append(f.ints, int64(x))
		})
	}
	return nil
}

// numbers reads field 1 of a list, packed or not.
func numbers(c wire.Cursor, kind protowire.Type, add func(uint64)) error {
	for c.Next() {
		if !c.Is(1, kind) && !c.IsBytes(1) {
			continue
		}
		n := c.Numbers(kind)
		for n.Next() {
			add(n.Value)
		}
		if err := n.Err(); err != nil {
			return err
		}
	}
	return c.Err()
}
