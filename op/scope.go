package op

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph/region"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// A Scope determines the names, the device and the control dependencies of the
// operations added to a graph. Scopes derived from one another build the same graph and
// share the first error. An operation is named after its type, so two of one type need
// different scopes; see [Scope.WithUniqueNames].
type Scope struct {
	graph     *tf.Graph
	shared    *shared
	namespace string
	taken     map[string]int // names given out in the namespace, and how many were asked for
	unique    bool
	device    string
	controls  []*tf.Operation
	region    *region.Region // the part of a loop that operations belong to; nil outside of loops
}

// A shared is what all scopes of a graph share.
type shared struct {
	err  error
	root *region.Region // of all that is in no loop
}

// NewScope makes a scope for a new graph.
func NewScope() *Scope { return NewScopeWithGraph(tf.NewGraph()) }

// NewScopeWithGraph makes a scope that adds to g.
func NewScopeWithGraph(g *tf.Graph) *Scope {
	return &Scope{graph: g, shared: &shared{root: region.Root(nil)}, taken: map[string]int{}}
}

// Finalize returns the graph, or the first error. The scope and all that share its graph
// cannot be used afterwards: their error is set.
func (s *Scope) Finalize() (*tf.Graph, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	s.shared.err = status.Errorf(status.FailedPrecondition, "Scope has been finalized and is no longer usable")
	return s.graph, nil
}

// AddOperation adds an operation with the scope's namespace, device and control
// dependencies, in addition to those of args. After an error it returns nil, whose
// outputs are the zero [tf.Output].
func (s *Scope) AddOperation(args tf.OpSpec) *tf.Operation {
	if s.Err() != nil {
		return nil
	}
	if args.Name == "" {
		args.Name = args.Type
	}
	args.Name = s.name(args.Name)
	if args.Device == "" {
		args.Device = s.device
	}
	args.ControlDependencies = slices.Concat(args.ControlDependencies, s.controls)
	if s.region != nil {
		var err error
		if args, err = s.region.Place(args); err != nil {
			s.UpdateErr(args.Type, err)
			return nil
		}
	}
	n, err := s.graph.AddOperation(args)
	if err != nil {
		s.UpdateErr(args.Type, err)
		return nil
	}
	if s.region != nil {
		s.region.Own(n)
	}
	return n
}

// SubScope returns a scope whose operations are named under namespace within s. The
// second such scope of s gets the suffix "_1", and so on.
func (s *Scope) SubScope(namespace string) *Scope {
	sub := *s
	sub.namespace = join(s.namespace, s.distinct(namespace))
	sub.taken = map[string]int{}
	return &sub
}

// WithControlDependencies returns a scope whose operations also wait for ops.
func (s *Scope) WithControlDependencies(ops ...*tf.Operation) *Scope {
	with := *s
	with.controls = slices.Concat(s.controls, ops)
	return &with
}

// WithDevice returns a scope whose operations are placed on a device; "" leaves it open.
func (s *Scope) WithDevice(device string) *Scope {
	with := *s
	with.device = device
	return &with
}

// WithUniqueNames returns a scope of the same namespace in which several operations may have
// one type: the second Add is named "Add_1". This also applies to scopes derived from
// it. TensorFlow's binding has no equivalent.
func (s *Scope) WithUniqueNames() *Scope {
	with := *s
	with.unique = true
	return &with
}

// Err returns the first error.
func (s *Scope) Err() error { return s.shared.err }

// UpdateErr sets the scope's error, as one of adding an operation of type op, unless
// there is an error already. It keeps the code of a status.Error.
func (s *Scope) UpdateErr(op string, err error) {
	if s.shared.err != nil || err == nil {
		return
	}
	failed := status.Errorf(status.CodeOf(err), "failed to add operation %q%s: %s", op, caller(), message(err))
	failed.Cause = err
	s.shared.err = failed
}

// message returns the text of err without its code.
func message(err error) string {
	if e, ok := err.(*status.Error); ok {
		return e.Message
	}
	return err.Error()
}

// caller returns where the program called this package: " (main.go:17)".
func caller() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if f.File != "" && !strings.HasPrefix(f.Function, thisPackage) {
			return fmt.Sprintf(" (%s:%d)", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

const thisPackage = "github.com/troupe-go/troupe/op."

// name returns the full name of an operation of the scope.
func (s *Scope) name(name string) string {
	if !s.unique {
		return join(s.namespace, name)
	}
	for {
		full := join(s.namespace, s.distinct(name))
		if s.graph.Operation(full) == nil {
			return full
		}
	}
}

// distinct is name, or name with a suffix that the namespace has not given out.
func (s *Scope) distinct(name string) string {
	for {
		n := s.taken[name]
		s.taken[name]++
		if n == 0 {
			return name
		}
		suffixed := fmt.Sprintf("%s_%d", name, n)
		if s.taken[suffixed] == 0 {
			s.taken[suffixed] = 1
			return suffixed
		}
	}
}

func join(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
