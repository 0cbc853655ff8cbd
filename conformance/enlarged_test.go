package conformance

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// enlarged returns the subject with inputs of about so many bytes in all, in several ways:
// each length that its dimensions have grown wherever it occurs, all of them together,
// and what says how large an output, or how far an operation, is to be, alone and by the
// same factor as a length: the numbers may count what there is of it.
func (s *subject) enlarged(size int64) []*subject {
	var all []*subject
	add := func(c *subject) {
		if c != nil {
			all = append(all, c)
		}
	}
	lengths := map[int64]bool{}
	for _, x := range s.inputs {
		if x != nil {
			for _, d := range x.Dims() {
				lengths[d] = true
			}
		}
	}
	delete(lengths, 0)
	var sorted []int64
	for d := range lengths {
		sorted = append(sorted, d)
	}
	slices.Sort(sorted)
	grow := func(chosen func(n int64) bool) {
		c, factor := s.stretched(size, chosen)
		add(c)
		if c != nil {
			add(c.counting(s, factor))
		}
	}
	for _, d := range sorted {
		grow(func(n int64) bool { return n == d })
	}
	grow(func(n int64) bool { return n > 1 })
	add(s.demanding(64))
	for i, x := range s.inputs {
		if x == nil {
			continue
		}
		if x.DType() == tensor.String {
			add(s.lengthened(i, size))
		}
		if x.DType() != tensor.Int32 && x.DType() != tensor.Int64 || x.NumElements() > 4 {
			continue
		}
		for j := range x.NumElements() {
			for _, factor := range []int64{1 << 10, 1 << 20} {
				add(s.demandingAt(i, j, factor))
			}
		}
	}
	for i := range s.attrs {
		if s.attrs[i].Value.Kind == registry.KindInt {
			add(s.demandingAttr(i, 1<<16))
		}
	}
	return all
}

// lengthened returns the subject with strings of an input again and again, of about so many
// bytes in all.
func (s *subject) lengthened(i int, size int64) *subject {
	x := tensor.ValueOf(s.inputs[i])
	total := int64(0)
	for _, text := range tensor.Of[string](&x) {
		total += int64(len(text))
	}
	if total == 0 || size/total < 2 {
		return nil
	}
	y := repeated(s.inputs[i], s.inputs[i].Dims())
	v := tensor.ValueOf(y)
	if y == s.inputs[i] {
		return nil
	}
	texts := tensor.Of[string](&v)
	for j := range texts {
		texts[j] = strings.Repeat(texts[j], int(size/total))
	}
	c := *s
	c.inputs = slices.Clone(s.inputs)
	c.inputs[i] = v.Tensor()
	return &c
}

// demandingAt returns the subject with one number among its inputs so many times as large.
func (s *subject) demandingAt(i, j int, factor int64) *subject {
	y := repeated(s.inputs[i], s.inputs[i].Dims())
	if y == s.inputs[i] {
		return nil
	}
	v := tensor.ValueOf(y)
	if y.DType() == tensor.Int32 {
		x := &tensor.Of[int32](&v)[j]
		*x = int32(min(max(int64(*x), 1)*factor, math.MaxInt32))
	} else {
		x := &tensor.Of[int64](&v)[j]
		if *x > math.MaxInt64/factor {
			return nil
		}
		*x = max(*x, 1) * factor
	}
	c := *s
	c.inputs = slices.Clone(s.inputs)
	c.inputs[i] = v.Tensor()
	return &c
}

// demandingAttr returns the subject with a number among its attributes so many times as large.
func (s *subject) demandingAttr(i int, factor int64) *subject {
	c := *s
	c.attrs = slices.Clone(s.attrs)
	v := &c.attrs[i].Value
	if v.I > math.MaxInt64/factor {
		return nil
	}
	v.I = max(v.I, 1) * factor
	return &c
}

// counting returns the subject with whole numbers that are few in the original so many times
// as large.
func (s *subject) counting(original *subject, factor int64) *subject {
	c, changed := *s, false
	c.inputs = slices.Clone(s.inputs)
	for i, x := range original.inputs {
		if x == nil || x.DType() != tensor.Int32 && x.DType() != tensor.Int64 || x.NumElements() > 8 {
			continue
		}
		y := repeated(s.inputs[i], s.inputs[i].Dims())
		if y == s.inputs[i] {
			continue
		}
		v := tensor.ValueOf(y)
		if x.DType() == tensor.Int32 {
			for j, n := range tensor.Of[int32](&v) {
				tensor.Of[int32](&v)[j] = int32(min(int64(n)*factor, math.MaxInt32))
			}
		} else {
			for j, n := range tensor.Of[int64](&v) {
				tensor.Of[int64](&v)[j] = n * factor
			}
		}
		c.inputs[i], changed = v.Tensor(), true
	}
	if !changed {
		return nil
	}
	return &c
}

// stretched multiplies the dimensions that are chosen, as far as the size allows, by a
// factor.
func (s *subject) stretched(size int64, chosen func(n int64) bool) (*subject, int64) {
	var fit [][]int64
	factor := int64(2)
	for ; ; factor *= 2 {
		shapes, total, changed := make([][]int64, len(s.inputs)), int64(0), false
		for i, x := range s.inputs {
			if x == nil {
				continue
			}
			shapes[i] = slices.Clone(x.Dims())
			for j, n := range shapes[i] {
				if chosen(n) {
					shapes[i][j], changed = n*factor, true
				}
			}
			n, err := tensor.NumElements(x.DType(), shapes[i])
			if err != nil {
				total = math.MaxInt64
				break
			}
			total = min(total, math.MaxInt64/2) + int64(n*max(1, x.DType().Size()))
		}
		if !changed || total > size {
			break
		}
		fit = shapes
	}
	if fit == nil {
		return nil, 0
	}
	c := *s
	c.inputs = slices.Clone(s.inputs)
	for i, x := range s.inputs {
		if x != nil {
			c.inputs[i] = repeated(x, fit[i])
		}
	}
	return &c, factor / 2
}

// demanding multiplies small numbers among the inputs, and numbers of attributes.
func (s *subject) demanding(factor int64) *subject {
	c := *s
	c.inputs, c.attrs = slices.Clone(s.inputs), slices.Clone(s.attrs)
	for i, x := range c.inputs {
		if x == nil || x.NumElements() > 8 {
			continue
		}
		y := repeated(x, x.Dims())
		switch v := tensor.ValueOf(y); {
		case y == x:
		case x.DType() == tensor.Int32:
			for j := range tensor.Of[int32](&v) {
				tensor.Of[int32](&v)[j] *= int32(factor)
			}
			c.inputs[i] = v.Tensor()
		case x.DType() == tensor.Int64:
			for j := range tensor.Of[int64](&v) {
				tensor.Of[int64](&v)[j] *= factor
			}
			c.inputs[i] = v.Tensor()
		}
	}
	for i := range c.attrs {
		if v := &c.attrs[i].Value; v.Kind == registry.KindInt && v.I > 1 {
			v.I *= factor
		}
	}
	return &c
}

func (s *subject) String() string {
	text := s.op + "["
	for _, a := range s.attrs {
		text += fmt.Sprintf("%s=%.60v ", a.Name, a.Value)
	}
	text += "]("
	for _, x := range s.inputs {
		if x != nil {
			text += fmt.Sprint(x.DType(), x.Dims(), " ")
		}
	}
	return text + ")"
}
