package shape

import "github.com/troupe-go/troupe/status"

// Reduction returns the shape of s with the axes reduced: to 1 if keep is set, else
// taken away. Negative axes count from the end; repeated ones count once.
func Reduction(s Shape, axes []int64, keep bool) (Shape, error) {
	if !s.known {
		return s, nil
	}
	rank := len(s.dims)
	reduced := make([]bool, rank)
	for _, a := range axes {
		i := a
		if i < 0 {
			i += int64(rank)
		}
		if i < 0 || i >= int64(rank) {
			return Shape{}, status.Invalid("Invalid reduction dimension %d for input with %d dimensions.", a, rank)
		}
		reduced[i] = true
	}
	dims := make([]int64, 0, rank)
	for i, d := range s.dims {
		switch {
		case !reduced[i]:
			dims = append(dims, d)
		case keep:
			dims = append(dims, 1)
		}
	}
	return Of(dims...), nil
}
