package cellular

import "context"

// A Watch is told what happens in the lanes of callers whose context has it, for tests: runs with
// such a context are always batched. The functions may wait, and hold the lane up.
type Watch struct {
	// Lanes is how many lanes there are at most for callers that could share one; 0 stands for 1.
	Lanes int
	// Entered is called when a caller stands before the loop.
	Entered func()
	// Iterating is called before callers are let in for the next iteration.
	Iterating func()
	// Alone, which may be nil, is called when a caller goes on, or begins again, by itself.
	Alone func()
}

type watchKey struct{}

// Watched returns a context with a watch.
func Watched(ctx context.Context, w *Watch) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// WatchOf returns the watch of a context; nil if it has none.
func WatchOf(ctx context.Context) *Watch {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	return w
}
