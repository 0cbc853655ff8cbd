package resource

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// A share is the present memory of a variable, shared with the readers of a reference to the
// variable, who see its updates. When a variable is assigned a value of another size, or none,
// it gets other memory, and the readers keep the last value in the old one.
type share struct {
	of    *Variable
	token tensor.Value
	dims  []int64      // if not nil, the shape that it goes on having
	kept  tensor.Value // what is in it, once the variable has other memory
}

// Share returns a token of what the variable's memory holds, now and later.
func (v *Variable) Share() (ref tensor.Value, ok bool) {
	v.mu.RLock()
	s, ok := v.share, !v.value.IsZero()
	v.mu.RUnlock()
	if s != nil && ok {
		return s.token, true
	}
	v.mu.Lock() // the value of a reference variable is always in the host's memory
	defer v.mu.Unlock()
	if v.value.IsZero() {
		return tensor.Value{}, false
	}
	if v.share == nil {
		v.share = &share{of: v}
		v.share.token = tensor.RefTo(v.value.DType(), v.share)
	}
	return v.share.token, true
}

// Share returns the token itself.
func (s *share) Share() (ref tensor.Value, ok bool) { return s.token, true }

// CellName returns the variable's name.
func (s *share) CellName() string { return s.of.Name }

// Read returns what the memory holds.
func (s *share) Read() (val tensor.Value, ok bool) {
	v := s.of
	v.mu.RLock()
	defer v.mu.RUnlock()
	if !s.kept.IsZero() {
		return s.kept, true
	}
	if !v.value.Plain() && !v.seen.Load() {
		v.seen.Store(true)
	}
	if s.dims == nil {
		return v.value, true
	}
	return shaped(v.value, s.dims), true
}

// shaped returns a value under another shape, of as many elements and not of a scalar.
func shaped(val tensor.Value, dims []int64) tensor.Value {
	t := val.Tensor().View()
	if err := t.Reshape(dims); err != nil {
		panic(err)
	}
	return tensor.ValueOf(t)
}

// part ends what shares the variable's memory if val, which is to be the next value,
// does not go into it. The variable is locked.
func (v *Variable) part(val tensor.Value) {
	s := v.share
	switch {
	case s == nil:
	case val.IsZero() || val.NumElements() != v.value.NumElements() || val.DType() != v.value.DType() || v.value.IsScalar() != val.IsScalar():
		s.kept, v.share = v.value.Share(), nil
		if s.dims != nil {
			s.kept = shaped(s.kept, s.dims)
		}
	case s.dims == nil && !tensor.SameShape(val, v.value):
		s.dims = slices.Clone(v.value.Dims())
	}
}
