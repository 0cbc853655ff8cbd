package code

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// A contraction is z(row, column) = Σ x(row, k)·y(k, column) over k: a product of matrices,
// or what a convolution is if its windows are thought of as rows. It is computed in blocks:
// a group of threads has a block of z, of which each thread keeps some elements in
// registers; slices of x and y along k come through shared memory, the next while one is
// computed with. Sums are taken in the order of k, in splits of k if blocks are few, which
// are then added in their order: so the answer does not depend on when groups run.
type contraction struct {
	name          string // what the function does, with its operands
	e             element
	rows, columns int64
	depth         int64 // how many k there are
	x, y          operand
	place         string // statements that declare z_row, an index of z's, from row; "" if rows lie ld apart
	ld            int64
	parameters    string      // of place
	args          func(*call) // those
	batches       walk        // over x, y and z
	size          int64       // of z, elements
}

// An operand is where elements of x or y are. Its statements are repeated, with $ for a
// number: outer for each row (of y: column) that a thread loads, o$, and inner for each
// k$. The element's place is at, of the last two; there is none unless inside, if that is
// not empty: then it counts as zero.
type operand struct {
	along                    bool // neighbours in memory are along k
	parameters               string
	args                     func(*call)
	outer, inner, inside, at string // at and inside have $ for the row's number, and # for that of k
	reach                    int64
}

// matrix returns an operand whose elements lie ld apart in one direction, and side by side in
// the other, along k or not.
func matrix(name string, along bool, ld, elements int64) operand {
	o := operand{along: along, parameters: ", i64 " + name + "_ld", args: func(c *call) { c.i64(ld) }, reach: elements,
		outer: fmt.Sprintf("I %[1]so$ = b%[1]s_at + o$;", name), inner: fmt.Sprintf("I %[1]sk$ = k$ * (I)%[1]s_ld;", name), at: fmt.Sprintf("%[1]so$ + %[1]sk#", name)}
	if along {
		o.outer, o.inner = fmt.Sprintf("I %[1]so$ = b%[1]s_at + o$ * (I)%[1]s_ld;", name), fmt.Sprintf("I %[1]sk$ = k$;", name)
	}
	return o
}

// A block is how a group shares out its part of z.
type block struct {
	rows, columns, depth int     // depth: of a slice
	threads, across      int     // across: of the threads that have the same rows
	worth                float64 // how much of a device's speed it reaches, about
}

// blocks are those that there are: the larger, the fewer elements are loaded for a product,
// and the smaller, the less is in vain at the edges and where there is little to do.
var blocks = []block{
	{128, 64, 16, 256, 8, 1},
	{64, 64, 16, 256, 16, 0.7},
	{32, 32, 16, 64, 8, 0.4},
	{64, 16, 16, 64, 4, 0.35},
	{16, 64, 16, 64, 16, 0.35},
}

// What a large GPU has, in multiplications with additions of one of its processors: they
// decide which blocks are chosen, and how sums are split, for all devices alike, so that
// they give the same answers.
const (
	processors = 128
	sliceCost  = 64e3  // of bringing a slice from memory, if nothing else is done meanwhile
	launchCost = 640e3 // of one more launch
	partCost   = 0.45  // of writing and reading an element of a split
	leastSplit = 64    // of k
)

// choose picks a block and the number of splits.
func (c *contraction) choose(maySplit bool) (block, int64) {
	best, by, least := blocks[1], int64(1), math.Inf(1)
	batches := Array{Dims: c.batches.dims}.Elements()
	for _, b := range blocks {
		if sizes[c.e.compute] == 8 { // with which shared memory and registers are sooner full
			if b.rows*b.columns > 64*64 {
				continue
			}
			b.depth /= 2
		}
		groups := batches * ceil(c.rows, int64(b.rows)) * ceil(c.columns, int64(b.columns))
		for splits := int64(1); splits <= 256; splits *= 2 {
			if splits > 1 && (!maySplit || c.depth/splits < leastSplit || splits*c.size > reachable) {
				break
			}
			depth := float64(ceil(c.depth, splits))
			computing := math.Ceil(float64(groups*splits)/processors) * float64(b.rows*b.columns) * depth / b.worth
			loading := depth / float64(b.depth) * sliceCost
			cost := max(computing, loading) + min(computing, loading)/4
			if splits > 1 {
				cost += launchCost + partCost*float64(splits*c.size)
			}
			if cost < least {
				best, by, least = b, splits, cost
			}
		}
	}
	return best, by
}

func ceil(n, by int64) int64 { return (n + by - 1) / by }

// scratch returns the memory that launches need beside for splits, without a buffer; it has no
// elements if they need none.
func (c *contraction) scratch() Array {
	if _, splits := c.choose(true); splits > 1 {
		return Array{Type: computed[c.e.compute], Dims: []int64{splits * c.size}}
	}
	return Array{Dims: []int64{0}}
}

// launches computes z, in splits if there is scratch for them.
func (c *contraction) launches(z, x, y, scratch Array) ([]devices.Launch, error) {
	if c.size == 0 {
		return nil, nil
	}
	b, splits := c.choose(len(scratch.Dims) > 0 && scratch.Elements() > 0)
	out, to := c.e.stored, z
	if splits > 1 {
		if scratch.Elements() < splits*c.size {
			return nil, mistake("%s needs scratch of %d elements", c.name, splits*c.size)
		}
		out, to = c.e.compute, scratch
	}
	for i := range c.batches.strides { // at least one dimension, so that there are fewer functions
		c.batches.strides[i] = slices.Clone(c.batches.strides[i])
		if len(c.batches.dims) == 0 {
			c.batches.strides[i] = append(c.batches.strides[i], 0)
		}
	}
	if len(c.batches.dims) == 0 {
		c.batches.dims = []int64{1}
	}
	name := fmt.Sprintf("%s_%s_%dx%d_r%d", c.name, c.e.name, b.rows, b.columns, len(c.batches.dims))
	if out != c.e.stored {
		name += "_parts"
	}
	f := indexed(name, max(c.x.reach, c.y.reach, splits*c.size), func(name string, t *strings.Builder) { c.write(t, name, out, b) }, c.e)
	share := ceil(ceil(c.depth, splits), int64(b.depth)) * int64(b.depth)
	count := Array{Dims: c.batches.dims}.Elements()
	tiles := ceil(c.rows, int64(b.rows))
	l := (&call{}).reads(x.Buffer, y.Buffer).writes(to.Buffer).i64(count, c.rows, c.columns, c.depth, share, c.size, c.ld).over(tiles)
	c.x.args(l)
	c.y.args(l)
	if c.args != nil {
		c.args(l)
	}
	c.batches.args(l)
	groups := tiles * ceil(c.columns, int64(b.columns))
	if groups > math.MaxInt32 {
		return nil, mistake("a product of %d by %d", c.rows, c.columns)
	}
	all := l.grid(f, [3]int{int(groups), int(splits), int(min(count, 65535))}, [3]int{b.threads, 1, 1})
	if splits > 1 {
		all = append(all, join(z, scratch, splits, c.e)...)
	}
	return all, nil
}

// write writes the function, which puts elements of type out.
func (c *contraction) write(t *strings.Builder, name, out string, b block) {
	down := b.threads / b.across
	each, beside := b.rows/down, b.columns/b.across // of a thread's elements
	p := func(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }
	p("typedef %s T;\ntypedef struct ALIGNED(%d) { %s v[4]; } PACK;", c.e.compute, 4*sizes[out], out)
	p("KERNEL_OF(%[9]d, %[10]d) %[1]s(GLOBAL const %[2]s *x, GLOBAL const %[2]s *y, GLOBAL %[3]s *z, i64 batches, i64 m, i64 n, i64 depth, i64 share, i64 size, i64 ld%[4]s%[5]s%[6]s%[7]s%[8]s) {",
		name, c.e.stored, out, divisors("tiles"), c.x.parameters, c.y.parameters, c.parameters, c.batches.parameters("b", "x", "y", "z"), b.threads, max(2, 384/b.threads))
	p("  LOCAL T xs[2][%d][%d] ALIGNED(16);\n  LOCAL T ys[2][%d][%d] ALIGNED(16);", b.depth, b.rows+4, b.depth, b.columns+4)
	p("  i32 me = THREAD(0), tx = me %% %d * 4, ty = me / %d * 4, now = 0;", b.across, b.across)
	p("  I tile = (I)GROUP(0), across = OVER(tile, tiles, tiles_by), row0 = (tile - across * (I)tiles) * %d, column0 = across * %d;", b.rows, b.columns)
	p("  const I rows_ = (I)m, columns_ = (I)n;")
	p("  I begin = (I)GROUP(1) * (I)share, end = begin + (I)share < (I)depth ? begin + (I)share : (I)depth;")
	p("  for (I batch = (I)GROUP(2); batch < batches; batch += (I)GROUPS(2)) {")
	c.batches.places(t, "b", "batch", "x", "y", "z")
	p("    bz_at += (I)GROUP(1) * (I)size;")
	p("    T sum[%d][%d];\n#pragma unroll\n    for (i32 i = 0; i < %[1]d; i++)\n#pragma unroll\n      for (i32 l = 0; l < %[2]d; l++) sum[i][l] = (T)0;", each, beside)
	x, y := loads{"x", c.x, b.rows, b, "row0", "rows_", c.e}, loads{"y", c.y, b.columns, b, "column0", "columns_", c.e}
	x.outers(p)
	y.outers(p)
	p("    {\n      I from = begin;")
	x.fetch(p, "")
	y.fetch(p, "")
	x.put(p, "now")
	y.put(p, "now")
	p("    }\n    BARRIER();\n    for (I from = begin + %[1]d; from < end + %[1]d; from += %[1]d) {", b.depth)
	x.fetch(p, "from < end")
	y.fetch(p, "from < end")
	p("#pragma unroll\n      for (i32 j = 0; j < %d; j++) {\n        T a[%d], b[%d];", b.depth, each, beside)
	p("#pragma unroll\n        for (i32 i = 0; i < %d; i++) a[i] = xs[now][j][i / 4 * %d + ty + i %% 4];", each, 4*down)
	p("#pragma unroll\n        for (i32 l = 0; l < %d; l++) b[l] = ys[now][j][l / 4 * %d + tx + l %% 4];", beside, 4*b.across)
	p("#pragma unroll\n        for (i32 i = 0; i < %d; i++)\n#pragma unroll\n          for (i32 l = 0; l < %d; l++) sum[i][l] += a[i] * b[l];\n      }", each, beside)
	p("      now ^= 1;\n      if (from < end) {")
	x.put(p, "now")
	y.put(p, "now")
	p("      }\n      BARRIER();\n    }")
	p("#pragma unroll\n    for (i32 i = 0; i < %d; i++) {\n      I row = row0 + i / 4 * %d + ty + i %% 4;\n      if (row < rows_) {", each, 4*down)
	if c.place == "" {
		p("        I z_row = row * (I)ld;")
	} else {
		p("        %s", c.place)
	}
	store := func(v string) string {
		if out != c.e.stored {
			return v
		}
		return c.e.store(v)
	}
	p("        z_row += bz_at;\n#pragma unroll\n        for (i32 l = 0; l < %d; l += 4) {\n          I column = column0 + l / 4 * %d + tx;", beside, 4*b.across)
	p("          if (column + 3 < columns_ && (z_row & 3) == 0) {\n            PACK v;\n            v.v[0] = %s; v.v[1] = %s; v.v[2] = %s; v.v[3] = %s;", store("sum[i][l]"), store("sum[i][l + 1]"), store("sum[i][l + 2]"), store("sum[i][l + 3]"))
	p("            *(GLOBAL PACK *)(z + z_row + column) = v;\n          } else {\n#pragma unroll\n            for (i32 h = 0; h < 4; h++) if (column + h < columns_) z[z_row + column + h] = %s;\n          }\n        }\n      }\n    }\n  }\n}", store("sum[i][l + h]"))
}

// loads writes how the threads of a group bring slices of an operand to shared memory.
type loads struct {
	name        string
	o           operand
	width       int // of a slice: rows of x, columns of y
	b           block
	from, limit string // of rows
	e           element
}

// each returns how many elements a thread loads.
func (l loads) each() int { return l.width * l.b.depth / l.b.threads }

// outers writes the statements for a thread's rows. What is beyond the last is that again.
func (l loads) outers(p func(string, ...any)) {
	n, first := 1, fmt.Sprintf("me %% %d", l.width)
	if l.o.along {
		n, first = l.each(), fmt.Sprintf("me / %d", l.b.depth)
	}
	for i := range n {
		s := fmt.Sprintf("%s%d", l.name, i)
		p("    I o%s = %s + %s + %d; if (o%[1]s >= %[5]s) o%[1]s = %[5]s - 1;", s, l.from, first, i*l.b.threads/l.b.depth, l.limit)
		p("    %s", strings.ReplaceAll(l.o.outer, "$", s))
	}
}

// fetch writes the loads of a slice, from k = from on, into variables: if a condition
// holds, as nothing is read otherwise.
func (l loads) fetch(p func(string, ...any), condition string) {
	n, first := 1, fmt.Sprintf("me %% %d", l.b.depth)
	if !l.o.along {
		n, first = l.each(), fmt.Sprintf("me / %d", l.width)
	}
	for i := range l.each() {
		p("      T n%s%d = (T)0;", l.name, i)
	}
	open, shut := "{", "}"
	if condition != "" {
		open = "if (" + condition + ") {"
	}
	p("      %s", open)
	for i := range n {
		s := fmt.Sprintf("%s%d", l.name, i)
		p("        I k%s = from + %s + %d;\n        %s", s, first, i*l.b.threads/l.width, strings.ReplaceAll(l.o.inner, "$", s))
	}
	for i := range l.each() {
		outer, inner := fmt.Sprintf("%s%d", l.name, i), l.name+"0"
		if !l.o.along {
			outer, inner = inner, outer
		}
		put := strings.NewReplacer("$", outer, "#", inner)
		inside := "k" + inner + " < end"
		if l.o.inside != "" {
			inside += " && " + put.Replace(l.o.inside)
		}
		p("        if (%s) n%s%d = %s;", inside, l.name, i, l.e.load(l.name+"["+put.Replace(l.o.at)+"]"))
	}
	p("      %s", shut)
}

// put writes how they come to shared memory.
func (l loads) put(p func(string, ...any), buffer string) {
	for i := range l.each() {
		if l.o.along {
			p("      %[1]ss[%[2]s][me %% %[3]d][me / %[3]d + %[4]d] = n%[1]s%[5]d;", l.name, buffer, l.b.depth, i*l.b.threads/l.b.depth, i)
		} else {
			p("      %[1]ss[%[2]s][me / %[3]d + %[4]d][me %% %[3]d] = n%[1]s%[5]d;", l.name, buffer, l.width, i*l.b.threads/l.width, i)
		}
	}
}

// join adds up splits, each as large as z, in their order.
func join(z, parts Array, splits int64, e element) []devices.Launch {
	f := indexed("join_"+e.name, parts.Elements(), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, `KERNEL %s(GLOBAL const %s *parts, GLOBAL %s *z, i64 n, i64 splits) {
  EACH(i, n) {
    %[2]s sum = parts[i];
    for (I s = 1; s < splits; s++) sum += parts[s * (I)n + i];
    z[i] = %[4]s;
  }
}
`, name, e.compute, e.stored, e.store("sum"))
	}, e)
	return (&call{}).reads(parts.Buffer).writes(z.Buffer).i64(z.Elements(), splits).flat(f, z.Elements())
}
