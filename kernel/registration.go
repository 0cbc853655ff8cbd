package kernel

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Factory makes the kernel of one node. It resolves everything that the
// node's attributes say, so that Run looks at inputs only.
type Factory func(c *Construction) (Kernel, error)

// A Registration says which nodes a kernel is for. What it says of the
// operation is checked against the definition when a kernel of that operation
// is first looked up, as definitions themselves are: see [Find].
type Registration struct {
	Op     string
	Device string // a device type; "" is "CPU"
	// Types lists, for attributes of kind type or list(type), the types that
	// the kernel takes. An attribute that is not named may be anything.
	Types map[string][]tensor.DType
	// HostMemory names the inputs and outputs that are in host memory on any
	// device. An argument that is a list is so as a whole.
	HostMemory []string
	// Host says that all inputs and outputs are: the kernel computes on the host.
	Host     bool
	Label    string // for nodes with this _kernel attribute only
	Priority int    // the highest that fits wins; equal ones are a mistake
	// RefCounted values says that the kernel never copies the elements of a variant that it
	// is given, or counts what they hold: see [tensor.RefCounted]. Other kernels are
	// given variants that are shared.
	Holders bool
	// Waits says that the kernel may wait ([Async], [Blocking]) though nothing in the
	// operation's definition shows it: it has no state and takes no reference, handle,
	// variant or function.
	Waits bool
	New   Factory
}

// Register adds a kernel. It panics on a registration without Op or New.
func Register(r Registration) {
	if r.Op == "" || r.New == nil {
		panic("kernel: a registration needs Op and New")
	}
	if r.Device == "" {
		r.Device = "CPU"
	}
	global.add(&r)
}

// ForType registers a CPU kernel of op for one value of one type attribute:
// what generic kernels are registered with, once for each element type.
//
//go:noinline
func ForType(op, attr string, dt tensor.DType, f Factory) {
	Register(Registration{Op: op, Types: map[string][]tensor.DType{attr: {dt}}, New: f})
}

// ForTypes registers a CPU kernel of op for each of the values that one type
// attribute may have; create is asked for no other.
//
//go:noinline
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
//
//go:noinline
func ForAll(f Factory, ops ...string) {
	for _, op := range ops {
		Register(Registration{Op: op, New: f})
	}
}

// ForAllWaiting is ForAll for kernels that wait: see [Registration].
//
//go:noinline
func ForAllWaiting(f Factory, ops ...string) {
	for _, op := range ops {
		Register(Registration{Op: op, Waits: true, New: f})
	}
}

// String returns what error messages list, as TensorFlow words it:
// "device='CPU'; T in [DT_FLOAT, DT_DOUBLE]".
func (r *Registration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "device='%s'", r.Device)
	if r.Label != "" {
		fmt.Fprintf(&b, "; label='%s'", r.Label)
	}
	for _, attr := range sorted.Keys(r.Types) {
		names := make([]string, len(r.Types[attr]))
		for i, t := range r.Types[attr] {
			names[i] = t.ProtoName()
		}
		fmt.Fprintf(&b, "; %s in [%s]", attr, strings.Join(names, ", "))
	}
	return b.String()
}
