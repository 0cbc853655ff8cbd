package kernel

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Factory makes the kernel of one node. It resolves everything that the
// node's attributes say, so that Run looks at inputs only.
type Factory func(c *Construction) (Kernel, error)

// A Registration says which nodes a kernel is for.
type Registration struct {
	Op     string
	Device string // a device type; "" is "CPU"
	// Types lists, for attributes of kind type or list(type), the types that
	// the kernel takes. An attribute that is not named may be anything.
	Types map[string][]tensor.DType
	// HostMemory names arguments that are in host memory on any device.
	HostMemory []string
	Label      string // for nodes with this _kernel attribute only
	Priority   int    // the highest that fits wins; equal ones are an error
	New        Factory
}

var (
	mu   sync.RWMutex
	byOp = map[string][]*Registration{}
)

// Register adds a kernel. It panics on a registration without Op or New.
func Register(r Registration) {
	if r.Op == "" || r.New == nil {
		panic("kernel: a registration needs Op and New")
	}
	if r.Device == "" {
		r.Device = "CPU"
	}
	mu.Lock()
	defer mu.Unlock()
	byOp[r.Op] = append(byOp[r.Op], &r)
}

// ForType registers a CPU kernel of op for one value of one type attribute:
// what generic kernels are registered with, once for each element type.
func ForType(op, attr string, dt tensor.DType, f Factory) {
	Register(Registration{Op: op, Types: map[string][]tensor.DType{attr: {dt}}, New: f})
}

// ForTypes registers a CPU kernel of op for each of the values that one type
// attribute may have; create is asked for no other.
func ForTypes(op, attr string, create func(tensor.DType) Kernel, types ...tensor.DType) {
	Register(Registration{Op: op, Types: map[string][]tensor.DType{attr: types}, New: func(c *Construction) (Kernel, error) {
		k := create(c.Type(attr))
		if k == nil {
			return nil, status.Errorf(status.Unimplemented, "operation %s has no kernel for %v yet", op, c.Type(attr))
		}
		return k, nil
	}})
}

// ForAll registers a CPU kernel of ops for nodes of any types.
func ForAll(f Factory, ops ...string) {
	for _, op := range ops {
		Register(Registration{Op: op, New: f})
	}
}

// Registered lists the kernels of an operation.
func Registered(op string) []*Registration {
	mu.RLock()
	defer mu.RUnlock()
	return slices.Clone(byOp[op])
}

// Find is the kernel for a node on a device type. It fails with UNIMPLEMENTED,
// listing what is registered.
func Find(device, op string, attrs registry.Attrs) (*Registration, error) {
	mu.RLock()
	defer mu.RUnlock()
	label := ""
	if v := attrs.Find("_kernel"); v != nil {
		label = v.S
	}
	var best *Registration
	for _, r := range byOp[op] {
		if r.Device != device || r.Label != label || !r.fits(attrs) {
			continue
		}
		if best != nil && best.Priority == r.Priority {
			return nil, status.Errorf(status.Internal, "two kernels of equal priority fit operation %s on %s", op, device)
		}
		if best == nil || r.Priority > best.Priority {
			best = r
		}
	}
	if best != nil {
		return best, nil
	}
	if len(byOp[op]) == 0 {
		return nil, status.Errorf(status.Unimplemented, "operation %s is known but has no kernel yet", op)
	}
	var have []string
	for _, r := range byOp[op] {
		have = append(have, r.String())
	}
	slices.Sort(have)
	have = slices.Compact(have)
	return nil, status.Errorf(status.Unimplemented, "no kernel of operation %s fits on %s with attributes %s; registered: %s",
		op, device, typeAttrs(attrs), strings.Join(have, "; "))
}

func (r *Registration) fits(attrs registry.Attrs) bool {
	for name, types := range r.Types {
		v := attrs.Find(name)
		if v == nil {
			return false
		}
		if v.Kind.IsList() {
			for _, e := range v.List {
				if !slices.Contains(types, e.Type) {
					return false
				}
			}
		} else if !slices.Contains(types, v.Type) {
			return false
		}
	}
	return true
}

// String is "CPU T in [float, double]".
func (r *Registration) String() string {
	s := r.Device
	names := make([]string, 0, len(r.Types))
	for n := range r.Types {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		s += fmt.Sprintf(" %s in %v", n, r.Types[n])
	}
	return s
}

func typeAttrs(attrs registry.Attrs) string {
	var b []string
	for _, a := range attrs {
		if a.Value.Kind == registry.KindType {
			b = append(b, a.Name+"="+a.Value.Type.String())
		}
	}
	return "[" + strings.Join(b, ", ") + "]"
}
