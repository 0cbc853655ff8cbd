package list

import (
	"fmt"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A List is a list of tensors: what a variant holds. It never changes; what
// changes a list gives a new one. All lists made from one are its versions, and
// the newest of them holds the elements: changing it takes constant time, and
// leaves behind in the older version how it differs (H. Baker, "Shallow binding
// makes functional arrays fast", 1991). An older version that is read at length
// gets elements of its own, once.
//
// A List is safe for concurrent use.
type List struct {
	object tensor.Object // whose value is the list
	dt     tensor.DType  // of the elements
	shape  shape.Shape   // that all elements have, as far as it is known
	max    int           // elements; negative: no bound
	n      int

	mu *sync.Mutex // of all versions, for what follows
	// newer is the version whose elements this one shares, but for element
	// index, which is was; nil if the elements are its own.
	newer *List
	index int // negative: they do not differ
	was   tensor.Value
	own   elements // none at n or above
}

// farWalk is how many newer versions a reader walks past before the version
// gets elements of its own.
const farWalk = 8

// newList makes a list of n elements that are not set.
func newList(dt tensor.DType, s shape.Shape, max, n int) *List {
	return &List{dt: dt, shape: s, max: max, n: n, mu: new(sync.Mutex)}
}

// token is the scalar that holds l.
func (l *List) token() tensor.Value {
	if l.object.Value == nil {
		l.object.Value = l
	}
	return tensor.Scalar(&l.object)
}

// String is what a printed variant says.
func (l *List) String() string {
	return fmt.Sprintf("TensorList of %d %v %s", l.n, l.dt, resource.FormatShape(l.shape))
}

// at is element i, which is below the length; zero if it is not set.
func (l *List) at(i int) tensor.Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l
	for range farWalk {
		if v.newer == nil {
			return v.own.at(i)
		}
		if v.index == i {
			return v.was
		}
		v = v.newer
	}
	l.detach()
	return l.own.at(i)
}

// with is the list of n elements that is l but for element i, which is v. A
// negative i changes none. n is at least l's length, or one less, and then i is
// the last element and v zero.
func (l *List) with(n, i int, v tensor.Value) *List {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newer != nil {
		l.detach()
	}
	next := &List{dt: l.dt, shape: l.shape, max: l.max, n: n, mu: l.mu, own: l.own}
	l.own = elements{}
	l.newer, l.index = next, i
	if i >= 0 {
		l.was = next.own.at(i)
		next.own.set(i, v)
	}
	return next
}

// first is the list of the first n elements.
func (l *List) first(n int) *List {
	if n >= l.n {
		return l.with(n, -1, tensor.Value{})
	}
	if n == l.n-1 {
		return l.with(n, n, tensor.Value{})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newer != nil {
		l.detach()
	}
	return &List{dt: l.dt, shape: l.shape, max: l.max, n: n, mu: new(sync.Mutex), own: l.own.first(n)}
}

// detach gives l, an older version, elements of its own.
func (l *List) detach() {
	var differ []*List
	v := l
	for ; v.newer != nil; v = v.newer {
		differ = append(differ, v)
	}
	own := v.own.first(max(l.n, v.n))
	for _, v := range slices.Backward(differ) {
		if v.index >= 0 {
			own.set(v.index, v.was)
		}
	}
	l.own, l.newer, l.was = own.first(l.n), nil, tensor.Value{}
}

// denseLimit is the index below which elements lie side by side, once there
// are any: a list of 2³¹ elements costs what is set.
const denseLimit = 1 << 16

// elements are values by index, zero where none is set.
type elements struct {
	dense []tensor.Value
	far   map[int]tensor.Value // from denseLimit on, or behind a gap
}

func (e *elements) at(i int) tensor.Value {
	if i < len(e.dense) {
		return e.dense[i]
	}
	return e.far[i]
}

func (e *elements) set(i int, v tensor.Value) {
	switch {
	case i < len(e.dense):
		e.dense[i] = v
	case i < denseLimit || i == len(e.dense) && len(e.far) == 0:
		if v.IsZero() {
			return
		}
		for len(e.dense) < i {
			e.dense = append(e.dense, tensor.Value{})
		}
		e.dense = append(e.dense, v)
	case v.IsZero():
		delete(e.far, i)
	default:
		if e.far == nil {
			e.far = map[int]tensor.Value{}
		}
		e.far[i] = v
	}
	if v.IsZero() && i == len(e.dense)-1 && len(e.far) == 0 {
		e.dense = e.dense[:i]
	}
}

// first is a copy of those below n.
func (e *elements) first(n int) elements {
	c := elements{dense: slices.Clone(e.dense[:min(n, len(e.dense))])}
	for i, v := range e.far {
		if i < n {
			c.set(i, v)
		}
	}
	return c
}

// listOf is the list in v, a variant that must be a scalar.
func listOf(v *tensor.Value) (*List, error) {
	if !v.IsScalar() {
		return nil, status.Invalid("Input list must be a scalar saw: %s", tensor.FormatDims(v.Dims()))
	}
	return heldBy(tensor.At0[*tensor.Object](v))
}

// heldBy is the list in a variant's element.
func heldBy(o *tensor.Object) (*List, error) {
	if o == nil {
		return nil, status.Invalid("Input handle is not a list. Saw: '<Variant>'")
	}
	switch l := o.Value.(type) {
	case *List:
		return l, nil
	case *tensor.VariantData:
		if l.TypeName == typeName {
			return unmarshal(l)
		}
		return nil, status.Invalid("Input handle is not a list. Saw: 'Variant<type: %s>'", l.TypeName)
	default:
		return nil, status.Invalid("Input handle is not a list. Saw: 'Variant<type: %T>'", l)
	}
}
