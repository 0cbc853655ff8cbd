package shape

import "github.com/troupe-go/troupe/status"

// A Format is where a data format, such as "NHWC", puts a tensor's dimensions.
// The batch comes first, unless the format says otherwise.
type Format struct {
	Name    string
	Dims    int // spatial dimensions
	Batch   int // index of the dimension
	Spatial int // index of the first spatial dimension
	Channel int // index of the dimension of channels
	Inner   int // size of the last dimension, in which channels lie in groups; else 1
}

// FormatOf returns a data format of that many spatial dimensions by its name; ""
// means channels last.
func FormatOf(name string, dims int) (Format, error) {
	f := Format{Name: name, Dims: dims, Spatial: 1, Channel: dims + 1, Inner: 1}
	switch name {
	case "", "NHWC", "NDHWC", "NWC", "CHANNELS_LAST":
		if name != "" && name != "CHANNELS_LAST" && len(name) != dims+2 {
			break
		}
		return f, nil
	case "NCHW", "NCDHW", "NCW", "CHANNELS_FIRST":
		if name != "CHANNELS_FIRST" && len(name) != dims+2 {
			break
		}
		f.Spatial, f.Channel = 2, 1
		return f, nil
	case "NCHW_VECT_C":
		f.Spatial, f.Channel, f.Inner = 2, 1, 4
		return f, nil
	case "HWNC":
		f.Spatial, f.Batch = 0, 2
		f.Channel = 3
		return f, nil
	case "HWCN":
		f.Spatial, f.Channel, f.Batch = 0, 2, 3
		return f, nil
	}
	return Format{}, status.Invalid("Invalid data format %q of a tensor with %d spatial dimensions", name, dims)
}

// Rank returns the rank of tensors in the format.
func (f Format) Rank() int {
	if f.Inner > 1 {
		return f.Dims + 3
	}
	return f.Dims + 2
}

// Check reports whether the last dimension of a tensor in the format holds as many
// channels as it can. It must be known.
func (f Format) Check(s Shape) error {
	if d := s.Dim(-1); f.Inner > 1 && d != 4 && d != 32 {
		return status.Invalid("VECT_C dimension must be 4 or 32, but is %d", d)
	}
	return nil
}
