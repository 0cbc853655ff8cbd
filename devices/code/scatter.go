package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/tensor"
)

// scatters are how an element of an update, y, changes one of x.
var scatters = map[string]string{
	"Update": "y", "Add": "x + y", "Sub": "x - y", "Mul": "x * y", "Div": "x / y", "Min": "y < x ? y : x", "Max": "y > x ? y : x",
}

// tuples are loops and arguments about indices of depth numbers each, into as many of an
// array's first dimensions: what they name is rows of inner elements.
type tuples struct {
	depth  int
	limits []int64
	inner  int64
}

// into returns how indices of that depth name rows of z.
func into(z Array, depth int) tuples {
	t := tuples{depth: depth, inner: 1}
	for i := range depth {
		limit := int64(1) // of a scalar
		if i < len(z.Dims) {
			limit = z.Dims[i]
		}
		t.limits = append(t.limits, limit)
	}
	for _, d := range z.Dims[min(depth, len(z.Dims)):] {
		t.inner *= d
	}
	return t
}

// parameters declares what limits gives.
func (t tuples) parameters() string {
	var b strings.Builder
	for i := range t.depth {
		fmt.Fprintf(&b, ", i64 limit%d", i)
	}
	return b.String()
}

// at is statements that declare at, the number of the row that indices name, and out, which
// is true if there is no such row.
func (t tuples) at(row string) string {
	var b strings.Builder
	b.WriteString("      i64 at = 0;\n      i32 out = 0;\n")
	for i := range t.depth {
		fmt.Fprintf(&b, "      { i64 k = (i64)indices[%[1]s * %[2]d + %[3]d]; out = out || k < 0 || k >= limit%[3]d; at = at * limit%[3]d + k; }\n", row, t.depth, i)
	}
	return b.String()
}

// Scatters have about scatterers threads, if rows are short, as long as each has to go through
// the indices for a share of the rows that is not too small.
const (
	scatterers = 1 << 14
	mostShares = 1 << 10
)

// Scatter changes rows of z: each that a tuple of depth indices names, by that row of updates,
// or by updates itself if that has one element, one after the other whatever the device. How
// is Update, Add, Sub, Mul, Div, Min or Max. What indices name that is not there is left out.
//
// A thread has the rows of z whose number has a certain remainder, of one column: it goes
// through all indices, so that an element is changed in their order, and by one thread.
func Scatter(how string, z, indices, updates Array, depth int) ([]devices.Launch, error) {
	formula, ok := scatters[how]
	if !ok || updates.Type != z.Type {
		return nil, mistake("no scatter %s of %v into %v%v", how, updates.Type, z.Type, z.Dims)
	}
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	index, err := elementOf(indices.Type)
	if err != nil {
		return nil, err
	}
	count := indices.Elements()
	if depth > 0 {
		count /= int64(depth)
	} else {
		count = updates.Elements() / max(z.Elements(), 1)
	}
	if count == 0 || z.Elements() == 0 {
		return nil, nil
	}
	t, each := into(z, depth), int64(1)
	if updates.Elements() != count*t.inner {
		each = 0
	}
	name := fmt.Sprintf("scatter%s%d_%s_%s", strings.ToLower(how), depth, e.name, index.name)
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
KERNEL %[1]s(GLOBAL const %[3]s *updates, GLOBAL const %[4]s *indices, GLOBAL %[3]s *z, i64 count, i64 inner, i64 each, i64 shares%[5]s) {
  EACH(i, inner * shares) {
    i64 share = i / inner, column = i - share * inner;
    for (i64 row = 0; row < count; row++) {
      T x, y;
%[6]s      if (out || (at & (shares - 1)) != share) continue;
      at = at * inner + column;
      x = %[7]s;
      y = %[8]s;
      z[at] = %[9]s;
    }
  }
}
`, name, e.compute, e.stored, index.stored, t.parameters(), t.at("row"), e.load("z[at]"), e.load("updates[(row * inner + column) * each]"), e.store(formula))
	}, e, index)
	shares := int64(1) // a power of two
	for shares < min(count, z.Elements()/t.inner, mostShares) && shares*t.inner < scatterers {
		shares *= 2
	}
	return (&call{}).reads(updates.Buffer, indices.Buffer).updates(z.Buffer).i64(count, t.inner, each, shares).i64(t.limits...).flat(f, t.inner*shares), nil
}

// GatherNd takes rows of params: each that a tuple of depth indices names. What is not there
// is zero.
func GatherNd(z, params, indices Array, depth int) ([]devices.Launch, error) {
	s, err := sized(params)
	if err != nil {
		return nil, err
	}
	index, err := elementOf(indices.Type)
	if err != nil {
		return nil, err
	}
	n := z.Elements()
	if n == 0 {
		return nil, nil
	}
	t := into(params, depth)
	f := perElement(fmt.Sprintf("gathernd%d_%s_%s", depth, s, index.name), fmt.Sprintf("GLOBAL const %[1]s *x, GLOBAL const %[2]s *indices, GLOBAL %[1]s *z, i64 inner%[3]s", s, index.stored, t.parameters()),
		"      i64 row = i / inner;\n"+t.at("row")+"      z[i] = out ? ("+s+")0 : x[at * inner + i % inner];\n", index)
	return (&call{}).reads(params.Buffer, indices.Buffer).writes(z.Buffer).i64(t.inner).i64(t.limits...).i64(n).flat(f, n), nil
}

// Segments joins the rows of x: row i into row indices[i] of z, where there is one, in order
// whatever the device. How is Add, Mul, Min or Max; rows of z that nothing is joined into
// have the element with the bits none.
func Segments(how string, z, x, indices Array, none uint64) ([]devices.Launch, error) {
	all, err := Fill(z, none)
	if err != nil {
		return nil, err
	}
	rows, err := Scatter(how, z, indices, x, 1)
	return append(all, rows...), err
}

// Limit returns the bits of the least, or else of the greatest, number of a type, infinities aside.
func Limit(t tensor.DType, least bool) uint64 {
	e := elements[t]
	bits := uint64(8 * t.Size())
	sign := uint64(1) << (bits - 1)
	switch {
	case t == tensor.Half:
		return map[bool]uint64{true: 0xfbff, false: 0x7bff}[least]
	case t == tensor.Bfloat16:
		return map[bool]uint64{true: 0xff7f, false: 0x7f7f}[least]
	case t == tensor.Float:
		return map[bool]uint64{true: 0xff7fffff, false: 0x7f7fffff}[least]
	case t == tensor.Double:
		return map[bool]uint64{true: 0xffefffffffffffff, false: 0x7fefffffffffffff}[least]
	case e.class == 'i' && least:
		return sign
	case e.class == 'i':
		return sign - 1
	case least:
		return 0
	}
	return sign<<1 - 1
}

// One returns the bits of 1.
func One(t tensor.DType) uint64 {
	switch t {
	case tensor.Half:
		return 0x3c00
	case tensor.Bfloat16:
		return 0x3f80
	case tensor.Float:
		return 0x3f800000
	case tensor.Double:
		return 0x3ff0000000000000
	}
	return 1
}
