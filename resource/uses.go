package resource

import (
	"cmp"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// A Use is what a variable or a queue holds, in figures.
type Use struct {
	Name
	Kind     string // "Variable", or a queue's, such as "FIFOQueue"
	Type     string // of a variable: its type and shape
	Elements int    // in a queue
	Capacity int    // of a queue; negative: no bound
	Closed   bool
	Bytes    int64
}

// Uses returns what queues and variables with a value hold, by container and name. It reads
// no elements.
func (m *Manager) Uses() []Use {
	var all []Use
	m.mu.RLock()
	for k, r := range m.byID {
		if q, ok := r.(interface{ use(Name) Use }); ok {
			all = append(all, q.use(Name{k.container, k.name}))
		}
	}
	m.mu.RUnlock()
	sorted.By(all, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.Container, b.Container), cmp.Compare(a.Name.Name, b.Name.Name))
	})
	m.Variables(func(name Name, v tensor.Value) {
		u := Use{Name: name, Kind: "Variable", Type: v.DType().String()}
		if !v.IsRef() {
			u.Bytes = int64(v.SizeBytes())
			for i, d := range v.Dims() {
				u.Type += cmp.Or(map[bool]string{true: " ["}[i == 0], ",") + tensor.Scalar(d).String()
			}
			if v.Rank() > 0 {
				u.Type += "]"
			}
		}
		all = append(all, u)
	})
	return all
}

// use is also that of what embeds a queue.
func (q *Queue) use(name Name) Use {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Use{Name: name, Kind: cmp.Or(q.Kind, "Queue"), Elements: q.Order.Len(), Capacity: q.Capacity, Closed: q.closed, Bytes: q.account.bytes}
}
