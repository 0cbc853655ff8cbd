package code

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// sized returns the unsigned type of the size of an array's elements: what only moves
// elements need not know more.
func sized(a Array) (string, error) {
	switch n := a.Type.Size(); n {
	case 1, 2, 4, 8:
		return fmt.Sprintf("u%d", 8*n), nil
	default:
		return "", status.Errorf(status.Unimplemented, "accelerators have no code for elements of type %v", a.Type)
	}
}

// A Part is some of an array's elements: where the first is, and how far it is from
// one to the next of each dimension.
type Part struct {
	Array
	Start   int64
	Strides []int64
}

// All returns all of an array.
func All(a Array) Part { return Part{a, 0, dense(a.Dims)} }

// Move copies the elements of one part to another of the same shape, dims.
func Move(z, x Part, dims []int64) ([]devices.Launch, error) {
	s, err := sized(z.Array)
	if err != nil {
		return nil, err
	}
	w := walk{slices.Clone(dims), [][]int64{slices.Clone(z.Strides), slices.Clone(x.Strides)}}
	n := Array{Dims: dims}.Elements()
	if n == 0 {
		return nil, nil
	}
	for i, d := range dims {
		if z.Strides[i] > 0 && z.Start+z.Strides[i]*(d-1) >= z.Elements() || x.Start < 0 {
			return nil, mistake("a part of shape %v leaves %v", dims, z.Dims)
		}
	}
	w.collapse()
	if l := tiled(z, x, w, s); l != nil {
		return l, nil
	}
	name, zstart, xstart, units := fmt.Sprintf("move_%s_r%d", s, len(w.dims)), z.Start, x.Start, ""
	if n >= worthPacks && z.Start%4 == 0 && x.Start%4 == 0 && w.strides[0][len(w.dims)-1] == 1 && w.strides[1][len(w.dims)-1] == 1 && w.pack() == "pp" {
		name, units, n, zstart, xstart = name+"_pp", "PACK_", n/4, zstart/4, xstart/4
	}
	f := indexed(name, max(w.reach(), z.Elements(), x.Elements()), func(name string, b *strings.Builder) {
		if units != "" {
			packs(b, element{stored: s})
		}
		fmt.Fprintf(b, "KERNEL %s(GLOBAL const %[2]s *x, GLOBAL %[2]s *z, i64 n, i64 zstart, i64 xstart%s) {\n  EACH(i, n) {\n", name, units+s, w.parameters("", "z", "x"))
		w.places(b, "", "i", "z", "x")
		b.WriteString("    z[(I)zstart + z_at] = x[(I)xstart + x_at];\n  }\n}\n")
	})
	c := (&call{}).reads(x.Buffer).writes(z.Buffer).i64(n, zstart, xstart)
	w.args(c)
	return c.flat(f, n), nil
}

// tiled returns a copy whose neighbours in one array are not in the other: groups bring squares
// of elements to shared memory as they lie in x, and write them as they lie in z. It is nil
// of other copies, and of small ones.
func tiled(z, x Part, w walk, s string) []devices.Launch {
	last := len(w.dims) - 1
	across := -1 // the dimension whose elements are neighbours in x
	for i := range w.dims {
		if w.strides[1][i] == 1 {
			across = i
		}
	}
	total := Array{Dims: w.dims}.Elements()
	if last < 1 || across < 0 || across == last || w.strides[0][last] != 1 || min(w.dims[across], w.dims[last]) < 8 || total < 4096 {
		return nil
	}
	high, wide, zstep, xstep := w.dims[across], w.dims[last], w.strides[0][across], w.strides[1][last]
	others := walk{strides: [][]int64{nil, nil}}
	for i, d := range w.dims {
		if i != across && i != last {
			others.dims = append(others.dims, d)
			for k := range others.strides {
				others.strides[k] = append(others.strides[k], w.strides[k][i])
			}
		}
	}
	const side = 32
	f := indexed(fmt.Sprintf("transpose_%s_r%d", s, len(others.dims)), max(w.reach(), z.Elements(), x.Elements()), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, `KERNEL_OF(256, 4) %[1]s(GLOBAL const %[2]s *x, GLOBAL %[2]s *z, i64 n, i64 high, i64 wide, i64 zstep, i64 xstep, i64 zstart, i64 xstart%[3]s%[4]s) {
  LOCAL %[2]s square[32][33];
  i32 me = THREAD(0), tx = me & 31, ty = me >> 5;
  for (I t = (I)GROUP(0); t < n; t += (I)GROUPS(0)) {
    I other = OVER(t, each, each_by), place = t - other * (I)each, down = OVER(place, across, across_by);
    I row = down * 32, column = (place - down * (I)across) * 32;
`, name, s, divisors("each", "across"), others.parameters("", "z", "x"))
		others.places(b, "", "other", "z", "x")
		b.WriteString(`    z_at += (I)zstart; x_at += (I)xstart;
#pragma unroll
    for (i32 j = 0; j < 32; j += 8)
      if (row + tx < high && column + ty + j < wide) square[ty + j][tx] = x[x_at + row + tx + (column + ty + j) * (I)xstep];
    BARRIER();
#pragma unroll
    for (i32 j = 0; j < 32; j += 8)
      if (row + ty + j < high && column + tx < wide) z[z_at + (row + ty + j) * (I)zstep + column + tx] = square[tx][ty + j];
    BARRIER();
  }
}
`)
	})
	each := ceil(high, side) * ceil(wide, side)
	count := each * Array{Dims: others.dims}.Elements()
	c := (&call{}).reads(x.Buffer).writes(z.Buffer).i64(count, high, wide, zstep, xstep, z.Start, x.Start).over(each, ceil(wide, side))
	others.args(c)
	return c.grid(f, [3]int{int(min(count, 1<<20)), 1, 1}, [3]int{group, 1, 1})
}

// Transpose permutes dimensions: dimension i of z is dimension perm[i] of x.
func Transpose(z, x Array, perm []int) ([]devices.Launch, error) {
	p, s := All(x), dense(x.Dims)
	for i, from := range perm {
		p.Strides[i] = s[from]
	}
	return Move(All(z), p, z.Dims)
}

// Slice takes z's shape out of x, from begin on, every steps[i]-th element of a
// dimension, backward if it is negative.
func Slice(z, x Array, begin, steps []int64) ([]devices.Launch, error) {
	p := All(x)
	for i, b := range begin {
		p.Start += b * p.Strides[i]
		p.Strides[i] *= steps[i]
	}
	return Move(All(z), p, z.Dims)
}

// Place puts x into z, from begin on.
func Place(z, x Array, begin []int64) ([]devices.Launch, error) {
	p := All(z)
	for i, b := range begin {
		p.Start += b * p.Strides[i]
	}
	return Move(p, All(x), x.Dims)
}

// Concat joins arrays along an axis.
func Concat(z Array, axis int, xs ...Array) (all []devices.Launch, err error) {
	begin := make([]int64, len(z.Dims))
	for _, x := range xs {
		l, err := Place(z, x, begin)
		if err != nil {
			return nil, err
		}
		all = append(all, l...)
		begin[axis] += x.Dims[axis]
	}
	return all, nil
}

// BroadcastTo repeats x over z.
func BroadcastTo(z, x Array) ([]devices.Launch, error) {
	w, err := broadcasting(z.Dims, x.Dims)
	if err != nil {
		return nil, err
	}
	return Move(Part{z, 0, dense(w.dims)}, Part{x, 0, w.strides[0]}, w.dims)
}

// Tile repeats x in each dimension, as often as z is larger.
func Tile(z, x Array) ([]devices.Launch, error) {
	var dims, from []int64 // each dimension as times and size
	for i, s := range dense(x.Dims) {
		times := int64(1)
		if x.Dims[i] > 0 {
			times = z.Dims[i] / x.Dims[i]
		}
		dims, from = append(dims, times, x.Dims[i]), append(from, 0, s)
	}
	return Move(Part{z, 0, dense(dims)}, Part{x, 0, from}, dims)
}

// Fill puts the element with these bits everywhere.
func Fill(z Array, bits uint64) ([]devices.Launch, error) {
	s, err := sized(z)
	if err != nil {
		return nil, err
	}
	n := z.Elements()
	if n == 0 {
		return nil, nil
	}
	f := function("fill_"+s, func(b *strings.Builder) {
		fmt.Fprintf(b, "KERNEL fill_%s(GLOBAL %s *z, i64 n, i64 bits) {\n  EACH(i, n) z[i] = (%s)bits;\n}\n", s, s, s)
	})
	return (&call{}).writes(z.Buffer).i64(n, int64(bits)).flat(f, n), nil
}

// Pad puts x into z, which is larger, and the element with these bits around it.
func Pad(z, x Array, before []int64, bits uint64) ([]devices.Launch, error) {
	fill, err := Fill(z, bits)
	if err != nil {
		return nil, err
	}
	place, err := Place(z, x, before)
	return append(fill, place...), err
}

// Gather takes rows of params: dimension axis is replaced by the shape of indices, whose first
// batch dimensions are params' own. What is out of range is zero.
func Gather(z, params, indices Array, axis, batch int) ([]devices.Launch, error) {
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
	before, limit, inner := lines(params, axis)
	batches := Array{Dims: params.Dims[:batch]}.Elements()
	count, outer := indices.Elements()/batches, before/batches
	f := indexed("gather_"+s+"_"+index.name, reach(z, params, indices), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, `KERNEL %[1]s(GLOBAL const %[2]s *x, GLOBAL const %[3]s *indices, GLOBAL %[2]s *z, i64 n, i64 limit%[4]s) {
  EACH(i, n) {
    I row = OVER(i, inner, inner_by), column = i - row * (I)inner, block = OVER(row, count, count_by), batch = OVER(block, outer, outer_by);
    i64 at = (i64)indices[batch * (I)count + row - block * (I)count];
    z[i] = at < 0 || at >= limit ? (%[2]s)0 : x[(block * (I)limit + (I)at) * (I)inner + column];
  }
}
`, name, s, index.stored, divisors("inner", "count", "outer"))
	}, index)
	return (&call{}).reads(params.Buffer, indices.Buffer).writes(z.Buffer).i64(n, limit).over(inner, count, outer).flat(f, n), nil
}

// Accumulate adds the elements of one part to those of another of the same shape, dims.
func Accumulate(z, x Part, dims []int64) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	w := walk{slices.Clone(dims), [][]int64{slices.Clone(z.Strides), slices.Clone(x.Strides)}}
	n := Array{Dims: dims}.Elements()
	if n == 0 {
		return nil, nil
	}
	w.collapse()
	name := fmt.Sprintf("accumulate_%s_r%d", e.name, len(w.dims))
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "KERNEL %s(GLOBAL const %s *x, GLOBAL %s *z, i64 n, i64 zstart, i64 xstart%s) {\n  EACH(i, n) {\n", name, e.stored, e.stored, w.parameters("", "z", "x"))
		w.places(b, "", "i", "z", "x")
		fmt.Fprintf(b, "    z[zstart + z_at] = %s;\n  }\n}\n", e.store(e.load("z[zstart + z_at]")+" + "+e.load("x[xstart + x_at]")))
	}, e)
	c := (&call{}).reads(x.Buffer).updates(z.Buffer).i64(n, z.Start, x.Start)
	w.args(c)
	return c.flat(f, n), nil
}
