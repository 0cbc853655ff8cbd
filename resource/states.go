package resource

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// A Described is a resource that can say what it holds between steps, in text that is the
// same exactly if the state is.
type Described interface{ Holds() string }

// A State is what a resource holds.
type State struct {
	Name
	Text string
}

// States returns what the resources hold that are [Described]s, variables among them, by
// container and name. Variables without a value are left out.
func (m *Manager) States() []State {
	type held struct {
		key
		resource any
	}
	var all []held
	m.mu.RLock()
	for k, r := range m.byID {
		all = append(all, held{k, r})
	}
	m.mu.RUnlock()
	sorted.By(all, func(a, b held) int { return a.compare(b.key) })
	var states []State
	for _, h := range all {
		s := State{Name: Name{h.container, h.name}}
		switch r := h.resource.(type) {
		case Described:
			s.Text = r.Holds()
		case interface {
			Read() (tensor.Value, bool)
		}:
			v, ok := r.Read()
			if !ok {
				continue
			}
			s.Text = ValueText(v)
		default:
			continue
		}
		states = append(states, s)
	}
	return states
}

// mostPrinted is how many elements a tensor has at most that is printed whole, see
// [tensor.Printer].
const mostPrinted = 1000

// ValueText returns a value as text that differs where the value does: of a tensor whose
// middle is left out, or whose digits are cut, a hash of all elements follows.
func ValueText(v tensor.Value) string {
	t := v.Tensor()
	text := t.String()
	if t.NumElements() <= mostPrinted {
		return text
	}
	b, err := tensorproto.Marshal(t)
	if err != nil {
		return text
	}
	h := fnv.New64a()
	h.Write(b)
	return fmt.Sprintf("%s (hash %016x)", text, h.Sum64())
}

// ElementText returns an element of several components as text, as by [ValueText].
func ElementText(components []tensor.Value) string {
	texts := make([]string, len(components))
	for i, v := range components {
		texts[i] = "missing"
		if !v.IsZero() {
			texts[i] = ValueText(v)
		}
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// Holds lists the elements of the queue in the order in which they leave it, or, if that
// is random, in the order in which they stand.
func (q *Queue) Holds() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var texts []string
	switch o := q.Order.(type) {
	case *fifo:
		texts = o.texts()
	case *shuffle:
		texts = o.texts()
	case *priority:
		in := slices.Clone(o.heap)
		sorted.By(in, func(a, b rankedElement) int {
			return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.arrival, b.arrival))
		})
		for _, e := range in {
			texts = append(texts, ElementText(e.components))
		}
	default:
		texts = append(texts, fmt.Sprint(o.Len()))
	}
	if q.closed {
		texts = append(texts, "closed")
	}
	return cmp.Or(strings.Join(texts, " "), "nothing")
}

func (d *deque) texts() (all []string) {
	for i := range d.size {
		all = append(all, ElementText(d.at(i)))
	}
	return all
}

// Holds reports how many gradients the accumulator has, their sum, and its step.
func (a *Accumulator) Holds() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return fmt.Sprintf("%d gradients %s, step %d", a.count, ElementText(a.sum), a.step)
}

// texts returns the elements in the order in which they leave.
func (f *fifo) texts() (all []string) {
	for _, e := range slices.Backward(f.back) {
		all = append(all, ElementText(e.element))
	}
	return append(all, f.deque.texts()...)
}
