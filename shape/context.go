package shape

import (
	"sync"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A Func works out the shapes of a node's outputs from what is known about
// its inputs. It sets outputs with [Context.SetOutput]; those it leaves are of
// unknown rank. Its error says what is wrong with the inputs or attributes;
// the caller adds the node's name.
type Func func(c *Context) error

// A Context is what a shape function sees of a node.
type Context struct {
	Node  string
	Op    *registry.OpDef
	Attrs registry.Attrs
	// Input types and shapes by position, lists flattened.
	InputTypes  []tensor.DType
	Inputs      []Shape
	OutputTypes []tensor.DType
	Outputs     []Shape
	// Constant answers the value of input i if it can be worked out before
	// the graph runs, else nil. Nil function: no constants known.
	Constant func(i int) *tensor.Tensor
	// ConstantShape answers what is known of the elements of input i, a vector
	// of integers read as a shape. Nil function: derived from Constant.
	ConstantShape func(i int) Shape

	// Handle data: the types and shapes of what a resource or variant input holds.
	InputHandles, OutputHandles [][]HandleData
}

// HandleData is the type and shape of one tensor behind a resource or variant.
type HandleData struct {
	Type  tensor.DType
	Shape Shape
}

// SetOutput sets the shape of output i.
func (c *Context) SetOutput(i int, s Shape) { c.Outputs[i] = s }

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

// Lookup is the shape function of an operation, nil if it has none.
func Lookup(op string) Func {
	mu.RLock()
	defer mu.RUnlock()
	return funcs[op]
}
