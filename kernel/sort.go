package kernel

import "slices"

// Sort is [slices.SortFunc] until the step ends, which is its error; x is in any
// order then.
func Sort[T any](ctx *Context, x []T, compare func(a, b T) int) error {
	if len(x) < sortAtOnce {
		slices.SortFunc(x, compare)
		return nil
	}
	slices.SortFunc(x, stopping(ctx, compare))
	return ctx.Err()
}

// SortStable is [slices.SortStableFunc] in the same way.
func SortStable[T any](ctx *Context, x []T, compare func(a, b T) int) error {
	if len(x) < sortAtOnce {
		slices.SortStableFunc(x, compare)
		return nil
	}
	slices.SortStableFunc(x, stopping(ctx, compare))
	return ctx.Err()
}

// sortAtOnce is how many elements are sorted in less than a millisecond.
const sortAtOnce = 1 << 13

// stopping is compare, for which all elements are equal after the step has ended:
// there is little left to be sorted then.
func stopping[T any](ctx *Context, compare func(a, b T) int) func(a, b T) int {
	var credit Credit
	stopped := false
	return func(a, b T) int {
		if stopped {
			return 0
		}
		if !credit.Spend(ctx, 16) {
			stopped = true
			return 0
		}
		return compare(a, b)
	}
}
