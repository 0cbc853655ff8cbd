package code

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A walk is a loop over the elements of several arrays at once: sizes of its
// dimensions, the last the fastest, and for each array how far an element is from the
// next of each dimension.
type walk struct {
	dims    []int64
	strides [][]int64 // by array
}

// dense returns the strides of an array of a shape.
func dense(dims []int64) []int64 {
	s, n := make([]int64, len(dims)), int64(1)
	for i, d := range slices.Backward(dims) {
		s[i] = n
		n *= d
	}
	return s
}

// broadcasting returns the walk over an output and the inputs that are broadcast to it.
func broadcasting(out []int64, inputs ...[]int64) (walk, error) {
	w := walk{dims: slices.Clone(out)}
	for _, dims := range inputs {
		lead := len(out) - len(dims)
		if lead < 0 {
			return w, mistake("%v is not broadcast to %v", dims, out)
		}
		own, s := dense(dims), make([]int64, len(out))
		for i, d := range dims {
			switch d {
			case out[lead+i]:
				s[lead+i] = own[i]
			case 1:
			default:
				return w, mistake("%v is not broadcast to %v", dims, out)
			}
		}
		w.strides = append(w.strides, s)
	}
	w.collapse()
	return w, nil
}

// collapse makes one dimension of two that all arrays walk through as one, and drops
// those of size 1.
func (w *walk) collapse() {
	n := 0
	for i, d := range w.dims {
		if d == 1 {
			continue
		}
		joined := n > 0
		for _, s := range w.strides {
			joined = joined && s[n-1] == s[i]*d
		}
		if joined {
			n--
			w.dims[n] *= d
		} else {
			w.dims[n] = d
		}
		for _, s := range w.strides {
			s[n] = s[i]
		}
		n++
	}
	w.dims = w.dims[:n]
	for k := range w.strides {
		w.strides[k] = w.strides[k][:n]
	}
}

// divisor returns what a function needs beside d to divide indices of 32 bits by it: a number
// to multiply with, whose upper half counts, and above that a number of bits to shift by.
// T. Granlund, P. Montgomery: "Division by Invariant Integers using Multiplication", 1994.
func divisor(d int64) int64 {
	if d < 1 || d > reachable {
		return 0 // of indices of 64 bits, or of no elements
	}
	shift := bits.Len64(uint64(d) - 1)
	return int64(uint64(shift)<<32 | ((1<<32)*((1<<shift)-uint64(d))/uint64(d) + 1))
}

// over are arguments for divisions by each of some numbers, and divisors declares them.
func (c *call) over(ds ...int64) *call {
	for _, d := range ds {
		c.i64(d, divisor(d))
	}
	return c
}

func divisors(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, ", i64 %s, i64 %s_by", name, name)
	}
	return b.String()
}

// parameters declares what args gives.
func (w *walk) parameters(prefix string, names ...string) string {
	var b strings.Builder
	for i := range w.dims {
		b.WriteString(divisors(fmt.Sprintf("%sd%d", prefix, i)))
		for _, name := range names {
			fmt.Fprintf(&b, ", i64 %s%s%d", prefix, name, i)
		}
	}
	return b.String()
}

// args are the sizes and strides.
func (w *walk) args(c *call) {
	for i, d := range w.dims {
		c.over(d)
		for _, s := range w.strides {
			c.i64(s[i])
		}
	}
}

// reach is above all places that the walk comes to.
func (w *walk) reach() int64 {
	most := int64(1)
	for _, d := range w.dims {
		most *= d
	}
	for _, s := range w.strides {
		n := int64(1)
		for i, d := range w.dims {
			n += max(s[i], -s[i]) * (d - 1)
		}
		most = max(most, n)
	}
	return most
}

// places writes statements that declare name_at for each array: where the element of
// the index is, an expression.
func (w *walk) places(b *strings.Builder, prefix, index string, names ...string) {
	fmt.Fprintf(b, "    I %srest = (I)(%s)", prefix, index)
	if len(w.dims) > 0 {
		fmt.Fprintf(b, ", %sk", prefix)
	}
	if len(w.dims) > 1 {
		fmt.Fprintf(b, ", %sq", prefix)
	}
	for _, name := range names {
		fmt.Fprintf(b, ", %s%s_at = 0", prefix, name)
	}
	b.WriteString(";\n")
	for i := len(w.dims) - 1; i >= 0; i-- {
		if i > 0 {
			fmt.Fprintf(b, "    %[1]sq = OVER(%[1]srest, %[1]sd%[2]d, %[1]sd%[2]d_by); %[1]sk = %[1]srest - %[1]sq * (I)%[1]sd%[2]d; %[1]srest = %[1]sq;", prefix, i)
		} else {
			fmt.Fprintf(b, "    %[1]sk = %[1]srest;", prefix)
		}
		for _, name := range names {
			fmt.Fprintf(b, " %[1]s%[2]s_at += %[1]sk * (I)%[1]s%[2]s%[3]d;", prefix, name, i)
		}
		b.WriteString("\n")
	}
}
