package code

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// Convolutions are contractions whose rows, or whose k, are windows: what a window has of
// an image is found as it is loaded, and nothing is laid out beforehand. Channels may be in
// groups: then features of one see the channels of one, and the filter has as many channels
// as a group.

// Conv2D convolves images x with a filter of shape [height, width, channels, features].
// Scratch is what [Conv2DScratch] says, or nothing, which may be slower.
func Conv2D(z, x, filter Array, w Window, scratch Array) ([]devices.Launch, error) {
	e, err := w.check(x, z, filter)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if w.plain(x, z, filter) {
		return MatMul(flat(z), flat(x), last(filter), false, false, scratch)
	}
	return w.forward(e, z, x, filter).launches(z, x, filter, scratch)
}

// Conv2DScratch returns the memory that [Conv2D] needs beside, without a buffer; no elements: it
// needs none.
func Conv2DScratch(z, x, filter Array, w Window) Array {
	e, err := w.check(x, z, filter)
	if err != nil || z.Elements() == 0 {
		return none
	}
	if w.plain(x, z, filter) {
		return MatMulScratch(flat(z), flat(x), last(filter), false, false)
	}
	return w.forward(e, z, x, filter).scratch()
}

// Conv2DBackpropInput computes the gradient of the images from that of what a
// convolution made of them.
func Conv2DBackpropInput(z, filter, gradient Array, w Window, scratch Array) ([]devices.Launch, error) {
	e, err := w.check(z, gradient, filter)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if w.plain(z, gradient, filter) {
		return MatMul(flat(z), flat(gradient), last(filter), false, true, scratch)
	}
	var all []devices.Launch
	for y := range min(w.Strides[0], z.Dims[1]) {
		for x := range min(w.Strides[1], z.Dims[2]) {
			l, err := w.input(e, z, filter, gradient, [2]int64{y, x}).launches(z, gradient, filter, Array{})
			if err != nil {
				return nil, err
			}
			all = append(all, l...)
		}
	}
	return all, nil
}

// Conv2DBackpropInputScratch returns the memory that [Conv2DBackpropInput] needs beside.
func Conv2DBackpropInputScratch(z, filter, gradient Array, w Window) Array {
	if _, err := w.check(z, gradient, filter); err == nil && w.plain(z, gradient, filter) {
		return MatMulScratch(flat(z), flat(gradient), last(filter), false, true)
	}
	return none
}

// Conv2DBackpropFilter computes the gradient of the filter.
func Conv2DBackpropFilter(z, x, gradient Array, w Window, scratch Array) ([]devices.Launch, error) {
	e, err := w.check(x, gradient, z)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if w.plain(x, gradient, z) {
		return MatMul(last(z), flat(x), flat(gradient), true, false, scratch)
	}
	return w.filter(e, z, x, gradient).launches(z, x, gradient, scratch)
}

// Conv2DBackpropFilterScratch returns the memory that [Conv2DBackpropFilter] needs beside.
func Conv2DBackpropFilterScratch(z, x, gradient Array, w Window) Array {
	e, err := w.check(x, gradient, z)
	if err != nil || z.Elements() == 0 {
		return none
	}
	if w.plain(x, gradient, z) {
		return MatMulScratch(last(z), flat(x), flat(gradient), true, false)
	}
	return w.filter(e, z, x, gradient).scratch()
}

// none is no memory.
var none = Array{Dims: []int64{0}}

// flat returns an array as a matrix with a row for each pixel, and last the last two dimensions
// of a filter of one pixel.
func flat(a Array) Array {
	n, c := rows(a)
	return Array{a.Buffer, a.Type, []int64{n, c}}
}

func last(filter Array) Array { return Array{filter.Buffer, filter.Type, filter.Dims[2:]} }

// check reports whether shapes are those of a convolution, whose images have a size.
func (w Window) check(images, made, filter Array) (element, error) {
	e, err := floating(images.Type)
	if err != nil || made.Elements() == 0 && images.Elements() == 0 {
		return e, err
	}
	if images.Elements() > 0 {
		if err := w.fits(images, made); err != nil {
			return e, err
		}
	}
	f := filter.Dims
	if len(f) != 4 || f[0] != w.Size[0] || f[1] != w.Size[1] || f[2] < 1 || images.Dims[3]%f[2] != 0 || f[3] != made.Dims[3] || f[3]%(images.Dims[3]/f[2]) != 0 {
		return e, mistake("a filter %v of images %v, of which windows %+v make %v", f, images.Dims, w, made.Dims)
	}
	return e, nil
}

// plain reports whether each pixel is made of the one at its place: a product of matrices.
func (w Window) plain(images, made, filter Array) bool {
	return w.Size == [2]int64{1, 1} && w.Strides == [2]int64{1, 1} && w.Before == [2]int64{} &&
		slices.Equal(images.Dims[:3], made.Dims[:3]) && filter.Dims[2] == images.Dims[3]
}

// A view is how pixels of a grid look at images: at each tap of a window, a number of
// channels.
type view struct {
	images      []int64  // batch, height, width, channels
	grid        [2]int64 // of each image
	step, start [2]int64 // where in the image a pixel of the grid begins to look
	taps, tap   [2]int64 // how many places it looks at, and how far they are apart, maybe backward
	channels    int64    // at each
}

const viewParameters = ", i64 v_height, i64 v_width, i64 v_channels, i64 v_ystep, i64 v_xstep, i64 v_ystart, i64 v_xstart, i64 v_ytap, i64 v_xtap"

func (v view) args(c *call) {
	c.over(v.grid[0], v.grid[1], max(v.taps[1], 1), v.channels).i64(v.images[1:]...).i64(v.step[:]...).i64(v.start[:]...).i64(v.tap[:]...)
}

// pixels and depth are how many pixels there are, and how many elements each looks at.
func (v view) pixels() int64 { return v.images[0] * v.grid[0] * v.grid[1] }
func (v view) depth() int64  { return v.taps[0] * v.taps[1] * v.channels }

// Statements of an operand: where a pixel begins to look, and what is added at a tap.
const (
	pixel = "I q$ = OVER(INDEX$, v_across, v_across_by), b$ = OVER(q$, v_down, v_down_by); " +
		"I x$ = (INDEX$ - q$ * (I)v_across) * (I)v_xstep + (I)v_xstart, y$ = (q$ - b$ * (I)v_down) * (I)v_ystep + (I)v_ystart; " +
		"I at$ = bx_at + ((b$ * (I)v_height + y$) * (I)v_width + x$) * (I)v_channels;"
	tap = "I t$ = OVER(INDEX$, v_each, v_each_by), ty$ = OVER(t$, v_taps, v_taps_by); " +
		"I dx$ = (t$ - ty$ * (I)v_taps) * (I)v_xtap, dy$ = ty$ * (I)v_ytap; " +
		"I by$ = (dy$ * (I)v_width + dx$) * (I)v_channels + INDEX$ - t$ * (I)v_each;"
)

// operand returns the images with a row for each pixel, or with a column for each.
func (v view) operand(pixelRows bool, elements int64) operand {
	o := operand{along: pixelRows, parameters: divisors("v_down", "v_across", "v_taps", "v_each") + viewParameters, args: v.args, reach: elements,
		outer: replaced(pixel, "o"), inner: replaced(tap, "k"), at: "at$ + by#",
		inside: "(u32)(y$ + dy#) < (u32)v_height && (u32)(x$ + dx#) < (u32)v_width"}
	if !pixelRows {
		o.outer, o.inner, o.at = replaced(tap, "o"), replaced(pixel, "k"), "at# + by$"
		o.inside = "(u32)(y# + dy$) < (u32)v_height && (u32)(x# + dx$) < (u32)v_width"
	}
	return o
}

// groups returns the walk over groups of channels, of a size in x, y and z.
func groups(count, x, y, z int64) walk {
	if count == 1 {
		return walk{strides: [][]int64{nil, nil, nil}}
	}
	return walk{[]int64{count}, [][]int64{{x}, {y}, {z}}}
}

// view returns how what is made looks at images.
func (w Window) view(images, made Array, channels int64) view {
	return view{images.Dims, [2]int64{made.Dims[1], made.Dims[2]}, w.Strides, [2]int64{-w.Before[0], -w.Before[1]}, w.Size, w.Dilation, channels}
}

func (w Window) forward(e element, z, x, filter Array) *contraction {
	v, n := w.view(x, z, filter.Dims[2]), x.Dims[3]/filter.Dims[2]
	features := z.Dims[3] / n
	return &contraction{
		name: "conv2d", e: e, rows: v.pixels(), columns: features, depth: v.depth(), ld: z.Dims[3], size: z.Elements(),
		x: v.operand(true, x.Elements()), y: matrix("y", false, z.Dims[3], filter.Elements()), batches: groups(n, v.channels, features, features),
	}
}

func (w Window) filter(e element, z, x, gradient Array) *contraction {
	v, n := w.view(x, gradient, z.Dims[2]), x.Dims[3]/z.Dims[2]
	features := z.Dims[3] / n
	return &contraction{
		name: "conv2dfilter", e: e, rows: v.depth(), columns: features, depth: v.pixels(), ld: z.Dims[3], size: z.Elements(),
		x: v.operand(false, x.Elements()), y: matrix("y", false, z.Dims[3], gradient.Elements()), batches: groups(n, v.channels, features, features),
	}
}

// input returns the gradient of those pixels of images that lie a multiple of the strides from
// the first: all of them got their part by the same taps.
func (w Window) input(e element, z, filter, gradient Array, first [2]int64) *contraction {
	n := z.Dims[3] / filter.Dims[2]
	features := gradient.Dims[3] / n
	v := view{images: gradient.Dims, step: [2]int64{1, 1}, channels: features}
	var tap, apart [2]int64 // of the filter, the first and how far one is from the next
	for i := range 2 {
		stride := w.Strides[i]
		v.grid[i] = ceil(z.Dims[1+i]-first[i], stride)
		apart[i] = 1
		for apart[i]*w.Dilation[i]%stride != 0 {
			apart[i]++
		}
		for tap[i] < w.Size[i] && (first[i]+w.Before[i]-tap[i]*w.Dilation[i])%stride != 0 {
			tap[i]++
		}
		v.taps[i] = ceil(w.Size[i]-tap[i], apart[i])
		v.start[i] = (first[i] + w.Before[i] - tap[i]*w.Dilation[i]) / stride
		v.tap[i] = -apart[i] * w.Dilation[i] / stride
	}
	down := filter.Dims[1] * filter.Dims[2] * gradient.Dims[3] // from one row of the filter to the next
	right := filter.Dims[2] * gradient.Dims[3]
	return &contraction{
		name: "conv2dinput", e: e, rows: v.pixels(), columns: filter.Dims[2], depth: v.depth(), ld: z.Dims[3], size: z.Elements(),
		x: v.operand(true, gradient.Elements()),
		y: operand{along: true, parameters: ", i64 f_ld, i64 f_down, i64 f_right, i64 f_first", reach: filter.Elements(),
			args: func(c *call) {
				c.i64(gradient.Dims[3], apart[0]*down, apart[1]*right, tap[0]*down+tap[1]*right)
			},
			outer: "I yo$ = by_at + (I)f_first + o$ * (I)f_ld;",
			inner: "I t$ = OVER(k$, v_each, v_each_by), ty$ = OVER(t$, v_taps, v_taps_by), yk$ = ty$ * (I)f_down + (t$ - ty$ * (I)v_taps) * (I)f_right + k$ - t$ * (I)v_each;",
			at:    "yo$ + yk#"},
		parameters: ", i64 z_height, i64 z_width, i64 z_ystep, i64 z_xstep, i64 z_first",
		args: func(c *call) {
			c.i64(z.Dims[1], z.Dims[2]).i64(w.Strides[:]...).i64(first[0]*z.Dims[2] + first[1])
		},
		place: "I zq = OVER(row, v_across, v_across_by), zb = OVER(zq, v_down, v_down_by), " +
			"z_row = (((zb * (I)z_height + (zq - zb * (I)v_down) * (I)z_ystep) * (I)z_width) + (row - zq * (I)v_across) * (I)z_xstep + (I)z_first) * (I)ld;",
		batches: groups(n, features, features, filter.Dims[2]),
	}
}

// replaced has statements of a number count from rows or from k.
func replaced(statements, index string) string {
	return strings.ReplaceAll(statements, "INDEX", index)
}
