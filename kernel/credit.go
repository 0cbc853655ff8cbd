package kernel

// A Credit is how much a kernel may do before it asks whether to stop. Loops
// whose steps are of unequal size spend it; the zero Credit asks at once.
//
// It is for one goroutine.
type Credit struct{ left int }

// askEvery is the work between two questions: about a millisecond's.
const askEvery = 1 << 20

// Spend says that n operations on single elements are about to be done, and
// whether the step goes on.
func (c *Credit) Spend(ctx *Context, n int) bool {
	if c.left -= max(n, 1); c.left > 0 {
		return true
	}
	c.left = askEvery
	return ctx.Err() == nil
}
