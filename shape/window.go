package shape

import "github.com/troupe-go/troupe/status"

// A Window is how a convolution or pooling moves along one dimension.
type Window struct {
	Size     int64 // of the filter; may be unknown
	Stride   int64
	Dilation int64  // 0 means 1
	Padding  string // "VALID", "SAME" or "EXPLICIT"
	// Before and After are the explicit padding.
	Before, After int64
}

// Output returns the number of positions of the window along a dimension of that
// size.
func (w Window) Output(size int64) (int64, error) {
	if w.Stride <= 0 {
		return Unknown, status.Invalid("Stride must be > 0, but got %d", w.Stride)
	}
	if w.Dilation < 0 {
		return Unknown, status.Invalid("Dilation rate must be >= 1, but got %d", w.Dilation)
	}
	switch w.Padding {
	case "SAME":
		if size == Unknown {
			return Unknown, nil
		}
		return ceilDiv(size, w.Stride), nil
	case "EXPLICIT":
		if w.Before < 0 || w.After < 0 {
			return Unknown, status.Invalid("Explicit padding must be nonnegative, but got %d and %d", w.Before, w.After)
		}
		padded, err := AddDims(size, w.Before)
		if err == nil {
			padded, err = AddDims(padded, w.After)
		}
		if err != nil {
			return Unknown, err
		}
		size = padded
	case "VALID":
	default:
		return Unknown, status.Invalid("Unknown padding %q", w.Padding)
	}
	covers, err := w.Covers()
	if err != nil {
		return Unknown, err
	}
	rest, err := SubDims(size, covers)
	if err != nil || rest == Unknown || covers == Unknown {
		return Unknown, err
	}
	return rest/w.Stride + 1, nil
}

// Positions is [Window.Output] for operations that take any numbers for the
// size and the dilation and find no position where the window is larger than
// what it moves over by less than two strides. The size of the dimension and of
// the filter must be known.
func (w Window) Positions(size int64) (int64, error) {
	if w.Padding != "VALID" {
		w.Dilation = 1
		return w.Output(size)
	}
	const most = 1 << 31
	if w.Stride <= 0 {
		return Unknown, status.Invalid("Stride must be > 0, but got %d", w.Stride)
	}
	if max(w.Size, -w.Size) > most || max(w.Dilation, -w.Dilation) > most {
		return Unknown, status.Invalid("A window of size %d dilated by %d is too large", w.Size, w.Dilation)
	}
	n := size - (w.Size + (w.Size-1)*(w.Dilation-1))
	if n/w.Stride+1 < 0 || n < 0 && (n+w.Stride)/w.Stride < 0 {
		return Unknown, status.Invalid("Computed output size would be negative: %d", (n+w.Stride)/w.Stride)
	}
	return (n + w.Stride) / w.Stride, nil
}

// Covers returns how many elements the dilated filter spans.
func (w Window) Covers() (int64, error) {
	if w.Dilation <= 1 || w.Size <= 0 {
		return w.Size, nil
	}
	d, err := MulDims(w.Size-1, w.Dilation)
	if err != nil {
		return Unknown, err
	}
	return AddDims(d, 1)
}

// ceilDiv returns a / b rounded up, of a >= 0 and b > 0.
func ceilDiv(a, b int64) int64 {
	if a%b != 0 {
		return a/b + 1
	}
	return a / b
}
