package nn

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// An axis is how a window moves along one spatial dimension: at position o it
// looks at the elements o·stride - before + k·dilation, for k below size.
type axis struct {
	in, out          int // elements and positions
	size             int // of the window
	stride, dilation int
	before           int // what SAME or explicit padding puts in front
}

// single is the axis of a dimension that is not there.
var single = axis{in: 1, out: 1, size: 1, stride: 1, dilation: 1}

// span returns the part of a window at position o that lies inside: elements
// lo, lo+dilation, ... below hi.
func (a *axis) span(o int) (lo, hi int) {
	lo = o*a.stride - a.before
	hi = min(lo+(a.size-1)*a.dilation+1, a.in)
	if lo < 0 {
		lo += (-lo + a.dilation - 1) / a.dilation * a.dilation
	}
	return lo, hi
}

// A motion is what the attributes of a node say of how a window moves.
type motion struct {
	op                          string // for messages
	format                      shape.Format
	strides, dilations, padding []int64 // by dimension of the format; padding in pairs, for EXPLICIT
	mode                        string
}

// newMotion reads the attributes data_format, strides, dilations or rates,
// padding and explicit_paddings, which but for padding may be missing.
func newMotion(c *kernel.Construction, dims int) (*motion, error) {
	format, err := shape.FormatOf(c.Str("data_format"), dims)
	if err != nil {
		return nil, err
	}
	m := &motion{op: c.Op.Name, format: format, mode: c.Str("padding"),
		strides: c.Ints("strides"), dilations: append(c.Ints("dilations"), c.Ints("rates")...), padding: c.Ints("explicit_paddings")}
	if c.Attrs.Find("strides") != nil {
		if err := m.setStrides(m.strides); err != nil {
			return nil, err
		}
	}
	if len(m.dilations) == 0 {
		m.dilations = make([]int64, format.Rank())
		for i := range m.dilations {
			m.dilations[i] = 1
		}
	}
	if len(m.dilations) != format.Rank() {
		return nil, status.Invalid("Sliding window dilations field must specify %d dimensions", format.Rank())
	}
	if m.dilations[format.Batch] != 1 || m.dilations[format.Channel] != 1 {
		return nil, status.Errorf(status.Unimplemented, "Current implementation does not yet support dilations in the batch and depth dimensions.")
	}
	for _, d := range m.dilations {
		if d <= 0 || d > math.MaxInt32 {
			return nil, status.Invalid("Dilated rates should be larger than 0.")
		}
	}
	return m, m.checkPadding()
}

// setStrides checks the strides, which are an input of some operations.
func (m *motion) setStrides(strides []int64) error {
	f := m.format
	if len(strides) != f.Rank() {
		return status.Invalid("Sliding window strides field must specify %d dimensions", f.Rank())
	}
	for _, s := range strides {
		if s <= 0 || s > math.MaxInt32 {
			return status.Invalid("Sliding window strides should be larger than 0.")
		}
	}
	m.strides = strides
	return nil
}

// depthStrides fails where a window moves over batch or channels.
func (m *motion) depthStrides() error {
	if m.strides[m.format.Batch] != 1 || m.strides[m.format.Channel] != 1 {
		return status.Invalid("Current implementation does not yet support strides in the batch and depth dimensions.")
	}
	return nil
}

func (m *motion) checkPadding() error {
	f := m.format
	if m.mode != "EXPLICIT" {
		if len(m.padding) > 0 {
			return status.Invalid("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT")
		}
		return nil
	}
	if len(m.padding) != 2*f.Rank() {
		return status.Invalid("explicit_paddings attribute must contain %d values, but got: %d", 2*f.Rank(), len(m.padding))
	}
	for _, p := range m.padding {
		if p < 0 || p > math.MaxInt32 {
			return status.Invalid("All elements of explicit_paddings must be nonnegative")
		}
	}
	for _, d := range []int{f.Batch, f.Channel} {
		if m.padding[2*d] != 0 || m.padding[2*d+1] != 0 {
			return status.Invalid("Nonzero explicit padding in the batch or depth dimensions is not supported")
		}
	}
	return nil
}

// axes returns how a window of that size, by spatial dimension, moves over a tensor
// of shape x. The last of the three are those there are.
func (m *motion) axes(x, size []int64) (all [3]axis, err error) {
	f := m.format
	for i := range all {
		all[i] = single
	}
	for i := range f.Dims {
		d := f.Spatial + i
		w := shape.Window{Size: size[i], Stride: m.strides[d], Dilation: m.dilations[d], Padding: m.mode}
		if m.mode == "EXPLICIT" {
			w.Before, w.After = m.padding[2*d], m.padding[2*d+1]
		}
		if size[i] <= 0 || size[i] > math.MaxInt32 || x[d] > math.MaxInt32 {
			return all, status.Invalid("%s: a window of %d elements over %d", m.op, size[i], x[d])
		}
		out, err := positions(w, x[d])
		if err != nil {
			return all, err
		}
		a := axis{in: int(x[d]), out: int(out), size: int(size[i]), stride: int(w.Stride), dilation: int(w.Dilation), before: int(w.Before)}
		if m.mode == "SAME" {
			a.before = max(0, (a.out-1)*a.stride+(a.size-1)*a.dilation+1-a.in) / 2
		}
		all[3-f.Dims+i] = a
	}
	return all, nil
}

// positions returns how often w fits over size elements: never, rather than an
// error, if it is larger by less than a stride.
func positions(w shape.Window, size int64) (int64, error) {
	if w.Padding == "SAME" {
		return w.Output(size)
	}
	covers := (w.Size-1)*max(w.Dilation, 1) + 1
	n := (size + w.Before + w.After - covers + w.Stride) / w.Stride
	if n < 0 {
		return 0, status.Invalid("Computed output size would be negative: %d [input_size: %d, effective_filter_size: %d, stride: %d]", n, size, covers, w.Stride)
	}
	return n, nil
}

// output is x with the positions of the axes and that many channels.
func (m *motion) output(dst, x []int64, all *[3]axis, channels int64) []int64 {
	dst = append(dst, x...)
	for i := range m.format.Dims {
		dst[m.format.Spatial+i] = int64(all[3-m.format.Dims+i].out)
	}
	dst[m.format.Channel] = channels
	return dst
}
