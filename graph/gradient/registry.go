package gradient

import (
	"sort"
	"sync"

	"github.com/troupe-go/troupe/status"
)

// A Func adds to a graph what computes the gradients of a node's inputs from
// those of its outputs. An error goes to the Context, which is the builder.
type Func func(c *Context)

var functions = struct {
	sync.RWMutex
	of map[string]Func // nil: nothing flows through it
}{of: map[string]Func{}}

// Register says how operations are differentiated. It panics if that has been said
// of one already. A name need not be an operation's: the attribute
// _gradient_op_type of a node says that its gradient is the one of that name.
func Register(f Func, ops ...string) {
	functions.Lock()
	defer functions.Unlock()
	for _, op := range ops {
		if _, ok := functions.of[op]; ok {
			panic("gradient: operation " + op + " has two gradients")
		}
		functions.of[op] = f
	}
}

// None says of operations that no gradient flows through them.
func None(ops ...string) { Register(nil, ops...) }

// Flat says of operations that their derivative is zero wherever they have one:
// what flows to them ends there, as with [None].
func Flat(ops ...string) { Register(func(*Context) {}, ops...) }

// Refuse says of operations that they ought to have a gradient and have not: who
// needs it gets the error.
func Refuse(code status.Code, message string, ops ...string) {
	Register(func(c *Context) { c.Fail(status.Errorf(code, "%s", message)) }, ops...)
}

// Whole says of operations that they are differentiated, but not by themselves: those
// of a loop together, and those that call functions by what the functions hold. That
// is the work of package gradients; who asks for one of them alone gets INTERNAL.
func Whole(ops ...string) {
	Register(func(c *Context) {
		c.Fail(status.Errorf(status.Internal, "operation %s cannot be differentiated alone", c.Node().Type()))
	}, ops...)
}

// Lookup finds how an operation is differentiated. The function is nil if no
// gradient flows through it; ok is false if nothing was said of it.
func Lookup(op string) (f Func, ok bool) {
	functions.RLock()
	defer functions.RUnlock()
	f, ok = functions.of[op]
	return f, ok
}

// Ops lists the operations that have a gradient function, in alphabetical order.
func Ops() []string { return list(func(f Func) bool { return f != nil }) }

// Nones lists the operations of which [None] was said, in alphabetical order.
func Nones() []string { return list(func(f Func) bool { return f == nil }) }

func list(want func(Func) bool) []string {
	functions.RLock()
	defer functions.RUnlock()
	var ops []string
	for op, f := range functions.of {
		if want(f) {
			ops = append(ops, op)
		}
	}
	sort.Strings(ops)
	return ops
}
