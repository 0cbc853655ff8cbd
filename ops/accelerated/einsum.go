package accelerated

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Einsum: diagonals of operands are taken, what only one of them has is summed up, what is
// left is multiplied as matrices, and the product's dimensions are put into their places.

func init() {
	resident.Register("Einsum", map[string][]tensor.DType{"T": floats}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		left, output, ok := strings.Cut(strings.ReplaceAll(c.Str("equation"), " ", ""), "->")
		e := einsum{strings.Split(left, ","), output}
		if n := len(e.inputs); !ok || n > 2 || n != len(c.Inputs) || strings.Count(c.Str("equation"), "...") > n+1 {
			return resident.Plan{}, c.Errorf("Expected %d inputs and at most two for equation '%s'", len(c.Inputs), c.Str("equation"))
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				_, lengths, axes, err := e.terms(arrays(in))
				return []resident.Shape{{Type: in[0].Type, Dims: lengths.of(axes)}}, err
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				terms, lengths, axes, err := e.terms(arrays(in))
				if w.Fail(err); err == nil {
					e.run(w, out[0], terms, lengths, axes)
				}
			},
		}, nil
	})
}

// An einsum is the labels of each operand and of the output.
type einsum struct {
	inputs []string
	output string
}

// A label is a letter, or, for the dimensions that an ellipsis stands for, a negative number
// that counts from the last one.
type label int

// lengths are how long dimensions are.
type lengths map[label]int64

func (l lengths) of(axes []label) []int64 {
	var dims []int64
	for _, a := range axes {
		dims = append(dims, l[a])
	}
	return dims
}

func (l lengths) size(axes []label) int64 { return code.Array{Dims: l.of(axes)}.Elements() }

// A term is elements of an array, with a label for each dimension; none occurs twice.
type term struct {
	code.Part
	axes []label
	dims []int64
}

func labels(text string, rank int) []label {
	before, after, ellipsis := strings.Cut(text, "...")
	var all []label
	for _, c := range []byte(before) {
		all = append(all, label(c))
	}
	if ellipsis {
		for n := rank - len(before) - len(after); n > 0; n-- {
			all = append(all, label(-n))
		}
	}
	for _, c := range []byte(after) {
		all = append(all, label(c))
	}
	return all
}

// terms are the operands, how long dimensions are, and the output's labels.
func (e einsum) terms(in []code.Array) (terms []term, l lengths, output []label, err error) {
	l, rest := lengths{}, 0
	for i, x := range in {
		named := len(strings.Replace(e.inputs[i], "...", "", 1))
		if !strings.Contains(e.inputs[i], "...") && len(x.Dims) != named || len(x.Dims) < named {
			return nil, nil, nil, status.Invalid("Expected input %d to have rank %d but got: %d", i, named, len(x.Dims))
		}
		whole := code.All(x)
		t := term{Part: code.Part{Array: x}}
		for d, a := range labels(e.inputs[i], len(x.Dims)) {
			n := x.Dims[d]
			have, ok := l[a]
			switch {
			case !ok || a < 0 && have == 1:
				l[a] = n
			case n != have && (a > 0 || n != 1):
				return nil, nil, nil, status.Invalid("Expected dimension %d at axis %d of the input shaped %s but got dimension %d", have, d, tensor.FormatDims(x.Dims), n)
			}
			rest = max(rest, int(-a))
			if at := slices.Index(t.axes, a); at >= 0 { // the diagonal
				t.Strides[at] += whole.Strides[d]
				continue
			}
			t.axes, t.dims, t.Strides = append(t.axes, a), append(t.dims, n), append(t.Strides, whole.Strides[d])
		}
		terms = append(terms, t)
	}
	if rest > 0 && !strings.Contains(e.output, "...") {
		return nil, nil, nil, status.Invalid("Output contains %d broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.", rest)
	}
	output = labels(e.output, rest+len(strings.Replace(e.output, "...", "", 1)))
	for _, a := range output {
		if _, ok := l[a]; !ok {
			return nil, nil, nil, status.Invalid("Label '%c' of the output is not in an input", rune(a))
		}
	}
	return terms, l, output, nil
}

func (e einsum) run(w *resident.Work, z code.Array, terms []term, l lengths, output []label) {
	for i := range terms {
		keep := output
		if len(terms) == 2 {
			keep = slices.Concat(output, terms[1-i].axes)
		}
		terms[i] = summed(w, terms[i], keep)
	}
	result := terms[0]
	if len(terms) == 2 {
		result = multiplied(w, terms[0], terms[1], l, output)
	}
	// a label that the output has several times fills a diagonal between zeros
	to, whole := code.Part{Array: z, Strides: make([]int64, len(result.axes))}, code.All(z)
	for d, a := range output {
		to.Strides[slices.Index(result.axes, a)] += whole.Strides[d]
	}
	if len(output) != len(result.axes) {
		w.Add(code.Fill(z, 0))
	}
	w.Add(code.Move(to, result.Part, result.dims))
}

// arranged returns a term with its dimensions in the order of the labels; one that it lacks has
// length 1.
func arranged(w *resident.Work, t term, axes []label) term {
	from, dims := code.Part{Array: t.Array, Start: t.Start, Strides: make([]int64, len(axes))}, make([]int64, len(axes))
	for i, a := range axes {
		dims[i] = 1
		if at := slices.Index(t.axes, a); at >= 0 {
			dims[i], from.Strides[i] = t.dims[at], t.Strides[at]
		}
	}
	next, inOrder := int64(1), true
	for i := len(axes) - 1; i >= 0; i-- {
		inOrder = inOrder && (dims[i] == 1 || from.Strides[i] == next)
		next *= dims[i]
	}
	y := code.Array{Buffer: t.Buffer, Type: t.Type, Dims: dims}
	if !inOrder || t.Start != 0 || next != t.Elements() {
		y = w.Scratch(t.Type, dims...)
		w.Add(code.Move(code.All(y), from, dims))
	}
	return term{code.All(y), axes, dims}
}

// summed sums over the dimensions of a term that keep lacks.
func summed(w *resident.Work, t term, keep []label) term {
	var kept, lost []label
	for _, a := range t.axes {
		if slices.Contains(keep, a) {
			kept = append(kept, a)
		} else {
			lost = append(lost, a)
		}
	}
	if len(lost) == 0 {
		return t
	}
	rows := arranged(w, t, slices.Concat(kept, lost))
	dims := rows.dims[:len(kept):len(kept)]
	var axes []int
	for i := range lost {
		axes = append(axes, len(kept)+i)
	}
	y := w.Scratch(t.Type, dims...)
	fold(w, "Sum", y, rows.Array, axes)
	return term{code.All(y), kept, dims}
}

// multiplied multiplies two terms and sums over the dimensions that both have and the output
// lacks.
func multiplied(w *resident.Work, x, y term, l lengths, output []label) term {
	var batch, rows, columns, inner []label
	for i, a := range output {
		inX, inY := slices.Contains(x.axes, a), slices.Contains(y.axes, a)
		switch {
		case slices.Contains(output[:i], a):
		case a < 0 || inX && inY:
			batch = append(batch, a)
		case inX:
			rows = append(rows, a)
		default:
			columns = append(columns, a)
		}
	}
	for _, a := range x.axes {
		if !slices.Contains(output, a) {
			inner = append(inner, a)
		}
	}
	m, n, k := l.size(rows), l.size(columns), l.size(inner)
	matrices := func(t term, first, second []label, r, c int64) (code.Array, bool) {
		last := label(0)
		for i, a := range t.axes {
			if t.Strides[i] == 1 && t.dims[i] != 1 {
				last = a
			}
		}
		transposed := slices.Contains(first, last) // as the elements lie
		if transposed {
			first, second, r, c = second, first, c, r
		}
		a := arranged(w, t, slices.Concat(batch, first, second))
		return code.Array{Buffer: a.Buffer, Type: a.Type, Dims: append(slices.Clone(a.dims[:len(batch)]), r, c)}, transposed
	}
	a, transA := matrices(x, rows, inner, m, k)
	b, transB := matrices(y, inner, columns, k, n)
	z := w.Scratch(x.Type, append(l.of(batch), m, n)...)
	multiply(w, z, a, b, transA, transB)
	axes := slices.Concat(batch, rows, columns)
	z.Dims = l.of(axes)
	return term{code.All(z), axes, z.Dims}
}
