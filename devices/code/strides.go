package code

import (
	"fmt"
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

// dense is the strides of an array of a shape.
func dense(dims []int64) []int64 {
	s, n := make([]int64, len(dims)), int64(1)
	for i, d := range slices.Backward(dims) {
		s[i] = n
		n *= d
	}
	return s
}

// broadcasting is the walk over an output and the inputs that are broadcast to it.
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

// parameters declares what args gives.
func (w *walk) parameters(prefix string, names ...string) string {
	var b strings.Builder
	for i := range w.dims {
		fmt.Fprintf(&b, ", i64 %sd%d", prefix, i)
		for _, name := range names {
			fmt.Fprintf(&b, ", i64 %s%s%d", prefix, name, i)
		}
	}
	return b.String()
}

// args are the sizes and strides.
func (w *walk) args(c *call) {
	for i, d := range w.dims {
		c.i64(d)
		for _, s := range w.strides {
			c.i64(s[i])
		}
	}
}

// places writes statements that declare name_at for each array: where the element of
// the index is, an expression.
func (w *walk) places(b *strings.Builder, prefix, index string, names ...string) {
	fmt.Fprintf(b, "    i64 %srest = %s", prefix, index)
	if len(w.dims) > 0 {
		fmt.Fprintf(b, ", %sk", prefix)
	}
	for _, name := range names {
		fmt.Fprintf(b, ", %s%s_at = 0", prefix, name)
	}
	b.WriteString(";\n")
	for i := len(w.dims) - 1; i >= 0; i-- {
		if i > 0 {
			fmt.Fprintf(b, "    %[1]sk = %[1]srest %% %[1]sd%[2]d; %[1]srest /= %[1]sd%[2]d;", prefix, i)
		} else {
			fmt.Fprintf(b, "    %[1]sk = %[1]srest;", prefix)
		}
		for _, name := range names {
			fmt.Fprintf(b, " %[1]s%[2]s_at += %[1]sk * %[1]s%[2]s%[3]d;", prefix, name, i)
		}
		b.WriteString("\n")
	}
}
