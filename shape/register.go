package shape

import "sync"

var (
	mu    sync.RWMutex
	funcs = map[string]Func{}
)

// Register sets the shape function of operations; it panics if one has a
// function already.
func Register(f Func, ops ...string) {
	mu.Lock()
	defer mu.Unlock()
	for _, op := range ops {
		if _, ok := funcs[op]; ok {
			panic("shape: operation " + op + " has two shape functions")
		}
		funcs[op] = f
	}
}

// Lookup returns the shape function of an operation, nil if it has none.
func Lookup(op string) Func {
	mu.RLock()
	defer mu.RUnlock()
	return funcs[op]
}

// Registered lists the operations that have a shape function, in no order.
func Registered() []string {
	mu.RLock()
	defer mu.RUnlock()
	ops := make([]string, 0, len(funcs))
	for op := range funcs {
		ops = append(ops, op)
	}
	return ops
}
