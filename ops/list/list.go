package list

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A List is a list of tensors: what a variant holds. It never changes, unless one
// token alone holds it (pile.go); what changes a list gives a new one. All lists made from one are its versions, and
// the newest of them holds the elements: changing it takes constant time, and
// leaves behind in the older version how it differs (H. Baker, "Shallow binding
// makes functional arrays fast", 1991). An older version that is read at length
// gets elements of its own, once.
//
// A List holds its elements as tokens do: see hold.go.
//
// A List is safe for concurrent use.
type List struct {
	object tensor.Object // whose value is the list
	dt     tensor.DType  // of the elements
	shape  shape.Shape   // that all elements have, as far as it is known
	max    int           // elements; negative: no bound
	n      int

	mu *sync.Mutex // of all versions, for what follows
	// newer is the version whose elements this one shares, but for those below n
	// in which they differ; nil if the elements are its own.
	newer *List
	older *List // the version whose newer this one is; nil of a shared one
	own   elements
	pile  *pile // in place of own; nil as a rule
	// Element index was was, and for those in more the same; a negative index
	// stands for none.
	index int
	was   item
	more  map[int]item

	weight int64 // see TotalBytes
	// shared: nobody counts the elements, which are all shared. It is stored under mu,
	// also for a version that is new and that only its maker knows so far: whoever
	// shares an older one gets to it.
	shared atomic.Bool
	due    []item // elements that are new and not held yet
	fresh  bool   // and so are all of own
	beside int    // bytes of what the older version notes, if that is much
	noted  int    // those of them that have been charged
}

// farWalk is how many newer versions a reader walks past before the version
// gets elements of its own.
const farWalk = 8

// newList makes a list of n elements that are not set.
func newList(dt tensor.DType, s shape.Shape, max, n int) *List {
	return &List{dt: dt, shape: s, max: max, n: n, mu: new(sync.Mutex), index: -1}
}

// String returns what a printed variant says.
func (l *List) String() string {
	return fmt.Sprintf("TensorList of %d %v %s", l.n, l.dt, resource.FormatShape(l.shape))
}

// at is element i, which is below the length; zero if it is not set.
func (l *List) at(i int) tensor.Value { return l.item(i).Value }

func (l *List) item(i int) item {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unpile()
	v := l
	for range farWalk {
		if v.newer == nil {
			return v.own.at(i)
		}
		if x, ok := v.differs(i); ok {
			return x
		}
		v = v.newer
	}
	l.detach()
	return l.own.at(i)
}

// differs is element i if it is not that of the newer version.
func (l *List) differs(i int) (item, bool) {
	if l.index == i {
		return l.was, true
	}
	x, ok := l.more[i]
	return x, ok
}

// differ notes that element i is x, and not that of the newer version.
func (l *List) differ(i int, x item) {
	switch {
	case l.index < 0:
		l.index, l.was = i, x
	default:
		if l.more == nil {
			l.more = map[int]item{}
		}
		l.more[i] = x
	}
}

// differences calls do with all elements that are not those of the newer version.
func (l *List) differences(do func(i int, x item)) {
	if l.index >= 0 {
		do(l.index, l.was)
	}
	for i, x := range l.more {
		do(i, x)
	}
}

// agree forgets all differences.
func (l *List) agree() { l.index, l.was, l.more = -1, item{}, nil }

// What a map of differences takes, and a difference in it.
const (
	notesBytes = 320
	noteBytes  = 80
)

// A change is a new element of a list.
type change struct {
	at int
	to item
}

// with returns the list of n elements that is l but for some changes. n is at least l's
// length, or one less.
func (l *List) with(n int, changes ...change) *List {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unpile()
	if l.newer != nil {
		l.detach()
	}
	next := &List{dt: l.dt, shape: l.shape, max: l.max, n: n, mu: l.mu, own: l.own, index: -1}
	l.own, l.newer = elements{}, next
	if l.shared.Load() {
		next.shared.Store(true)
	} else {
		next.older = l
	}
	if n < l.n {
		l.differ(n, next.own.at(n))
		next.own.set(n, item{})
	}
	if len(changes) > 1 {
		next.beside = notesBytes + noteBytes*len(changes)
	}
	for _, c := range changes {
		if _, done := l.differs(c.at); c.at < l.n && !done {
			l.differ(c.at, next.own.at(c.at))
		} else if c.at >= l.n || done {
			next.own.at(c.at).forget() // another change's
		}
		next.own.set(c.at, c.to)
		next.owe(c.to)
	}
	return next
}

// first returns the list of the first n elements.
func (l *List) first(n int) *List {
	if n >= l.n-1 {
		return l.with(n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unpile()
	if l.newer != nil {
		l.detach()
	}
	next := newList(l.dt, l.shape, l.max, n)
	next.own = l.own.below(n)
	next.shared.Store(l.shared.Load())
	next.own.each(item.again)
	return next
}

// detach gives l, an older version, elements of its own.
func (l *List) detach() {
	var differ []*List
	v := l
	for ; v.newer != nil; v = v.newer {
		differ = append(differ, v)
	}
	own := v.own.below(max(l.n, v.n))
	for _, v := range slices.Backward(differ) {
		v.differences(own.set)
	}
	l.own = own.below(l.n)
	l.own.each(item.again)
	l.differences(func(_ int, x item) { x.forget() }) // they are among the elements now
	l.newer.older, l.newer = nil, nil
	l.agree()
}

// listOf returns the list in v, a variant that must be a scalar.
func listOf(v *tensor.Value) (*List, error) {
	if !v.IsScalar() {
		return nil, status.Invalid("Input list must be a scalar saw: %s", tensor.FormatDims(v.Dims()))
	}
	return heldBy(tensor.At0[*tensor.Object](v))
}

// heldBy returns the list in a variant's element.
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
