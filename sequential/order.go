package sequential

import (
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Constraint of a schedule is that one event comes before another.
type Constraint struct {
	First, Then string // IDs of events
	Step        int    // of the engine, from 1; 0: of any
}

// String is such as "a<b", or "a<b#2" in the second step.
func (c Constraint) String() string {
	s := c.First + "<" + c.Then
	if c.Step > 0 {
		s += "#" + strconv.Itoa(c.Step)
	}
	return s
}

// An Order is a schedule: what became possible first happens first, but for what must
// wait for something else. Constraints that would let nothing happen do not count.
type Order []Constraint

// String returns the constraints, separated by commas, as [ParseOrder] reads them.
func (o Order) String() string {
	list := make([]string, len(o))
	for i, c := range o {
		list[i] = c.String()
	}
	return strings.Join(list, ",")
}

// ParseOrder reads constraints such as "a<b,c@while[1]<d#2"; "a<b<c" is "a<b,b<c".
func ParseOrder(text string) (Order, error) {
	var o Order
	if text == "" {
		return nil, nil
	}
	for _, part := range strings.Split(text, ",") {
		step := 0
		if i := strings.LastIndexByte(part, '#'); i >= 0 {
			n, err := strconv.Atoi(part[i+1:])
			if err != nil || n < 1 {
				return nil, status.Invalid("the schedule %q: behind # comes the number of a step, from 1", part)
			}
			part, step = part[:i], n
		}
		ids := strings.Split(part, "<")
		if len(ids) < 2 || slices.Contains(ids, "") {
			return nil, status.Invalid("the schedule %q: an order is as in a<b, two operations of which the first comes first", part)
		}
		for i, id := range ids[1:] {
			o = append(o, Constraint{ids[i], id, step})
		}
	}
	return o, nil
}

// Ordered returns the engine whose steps follow an order.
func Ordered(o Order, budget *tensor.Budget) *Engine {
	return &Engine{order: o, ordered: true, name: "schedule:" + o.String(), budget: budget}
}

// Follow returns what follows the order in one step, the n-th of the engine, from 1.
func (o Order) Follow(n int) Scheduler { return &follower{order: o, step: n - 1} }

// A follower follows an order.
type follower struct {
	order    Order
	step     int
	happened map[string]bool // in the step: what the order names
}

func (f *follower) Begin(*kernel.Step) {
	f.step++
	f.happened = map[string]bool{}
	for _, c := range f.order {
		f.happened[c.First] = false
	}
}

func (f *follower) Next(events []Event) int {
	next := max(0, slices.IndexFunc(events, func(e Event) bool { return !f.waits(e.ID) }))
	if id := events[next].ID; len(f.order) > 0 {
		if _, named := f.happened[id]; named {
			f.happened[id] = true
		}
	}
	return next
}

// waits reports whether something has to come before an event.
func (f *follower) waits(id string) bool {
	return slices.ContainsFunc(f.order, func(c Constraint) bool {
		return c.Then == id && (c.Step == 0 || c.Step == f.step) && !f.happened[c.First]
	})
}

func (f *follower) Stuck([]Event) bool { return false }
func (f *follower) Failed(Event)       {}
func (f *follower) End(error)          {}
