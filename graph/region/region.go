package region

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// A Role is what a node that a builder adds is for; a writer may name it after
// that.
type Role string

// The roles.
const (
	Enter  Role = "enter"  // Enter: takes a variable's first value, or a value from outside, into a frame
	Merge  Role = "merge"  // Merge: a variable at the beginning of an iteration
	Going  Role = "going"  // LoopCond: whether there is another iteration
	Switch Role = "switch" // Switch, RefSwitch or _SwitchN: where a value goes
	Exit   Role = "exit"   // Exit: a variable's last value
	Arg    Role = "arg"    // Identity: a value in a body or branch
	Next   Role = "next"   // NextIteration: a variable's value for the next iteration
	Output Role = "output" // Merge: a value that the branches give
	Member Role = ""       // a node that was asked for by [Region.Add]
)

// A Writer adds the nodes of regions to a graph.
type Writer interface {
	// Write adds a node, giving it a name unless it has one.
	Write(role Role, spec graph.OpSpec) (*graph.Node, error)
	// Close makes an output of a NextIteration the second input of a Merge.
	Close(merge *graph.Node, from graph.Output) error
}

// A Region is a part of a graph that runs as a whole or not at all.
type Region struct {
	// Pivot runs, alive, if and only if the region does. It is nil for the root,
	// which always runs.
	Pivot *graph.Node

	homes   map[*graph.Node]*Region // of all nodes that are not in the root; shared
	writer  Writer
	parent  *Region
	loop    *Loop // whose frame the region is in; nil for none
	carry   func(graph.Output) (graph.Output, error)
	carried map[graph.Output]graph.Output // values of the parent to what they are inside
}

// Root returns the region of all that is in no loop and no branch. Regions within it
// use its writer unless they get one of their own.
func Root(w Writer) *Region { return &Region{homes: map[*graph.Node]*Region{}, writer: w} }

// within makes a region in r. carry takes a value of r inside.
func (r *Region) within(loop *Loop, carry func(graph.Output) (graph.Output, error)) *Region {
	return &Region{homes: r.homes, writer: r.writer, parent: r, loop: loop, carry: carry, carried: map[graph.Output]graph.Output{}}
}

// home returns the innermost region that a node is in.
func (r *Region) home(n *graph.Node) *Region {
	if h := r.homes[n]; h != nil {
		return h
	}
	for r.parent != nil {
		r = r.parent
	}
	return r
}

// Own says that nodes that were not added by the region run in it.
func (r *Region) Own(nodes ...*graph.Node) {
	for _, n := range nodes {
		if r.parent == nil {
			delete(r.homes, n)
		} else {
			r.homes[n] = r
		}
	}
}

// Holds reports whether a node runs in a region below the root.
func (r *Region) Holds(n *graph.Node) bool { return r.homes[n] != nil }

// Use returns a value in the region: v itself if it is of the region, else, if it is
// of one around it, what v is inside.
func (r *Region) Use(v graph.Output) (graph.Output, error) {
	v = v.Canonical()
	if v.Op == nil {
		return v, status.Invalid("an output to be used in a region is of no node")
	}
	return r.use(v, r.home(v.Op))
}

func (r *Region) use(v graph.Output, home *Region) (graph.Output, error) {
	if home == r {
		return v, nil
	}
	if r.parent == nil {
		return v, status.Invalid("%v belongs to a loop or branch that its user is not in", v)
	}
	v, err := r.parent.use(v, home)
	if err != nil {
		return v, err
	}
	if inside, ok := r.carried[v]; ok {
		return inside, nil
	}
	inside, err := r.carry(v)
	if err == nil {
		r.carried[v] = inside
	}
	return inside, err
}

// gates reports whether what takes v runs only when the region does. A constant of
// a loop is there in all iterations, also after the last.
func (r *Region) gates(v graph.Output) bool {
	return r.homes[v.Op] == r && v.Op.Class() != graph.ClassEnter
}

// Place returns a node changed so that it runs in the region: its inputs are values in
// the region, and it waits for the pivot if for nothing else there. It cannot
// wait for a node of another frame.
func (r *Region) Place(spec graph.OpSpec) (graph.OpSpec, error) {
	waits := false
	for _, c := range spec.ControlDependencies {
		if c == nil {
			continue
		}
		home := r.home(c)
		if home.loop != r.loop {
			frame := "the graph"
			if r.loop != nil {
				frame = "the loop '" + r.loop.frame + "'"
			}
			return spec, status.Invalid("'%s' waits for '%s', which is outside %s: let the loop wait for it", spec.Name, c.Name(), frame)
		}
		waits = waits || home == r
	}
	inside := func(v graph.Output) (graph.Output, error) {
		if v.Op == nil {
			return v, nil // AddOperation says so
		}
		v, err := r.Use(v)
		waits = waits || err == nil && r.gates(v)
		return v, err
	}
	inputs := make([]graph.Input, len(spec.Input))
	for i, in := range spec.Input {
		var err error
		switch in := in.(type) {
		case graph.Output:
			inputs[i], err = inside(in)
		case graph.OutputList:
			list := make(graph.OutputList, len(in))
			for j, v := range in {
				if list[j], err = inside(v); err != nil {
					break
				}
			}
			inputs[i] = list
		}
		if err != nil {
			return spec, err
		}
	}
	spec.Input = inputs
	if !waits && r.Pivot != nil {
		spec.ControlDependencies = append(spec.ControlDependencies[:len(spec.ControlDependencies):len(spec.ControlDependencies)], r.Pivot)
	}
	return spec, nil
}

// Add adds a node to the region.
func (r *Region) Add(spec graph.OpSpec) (*graph.Node, error) { return r.add(Member, spec) }

func (r *Region) add(role Role, spec graph.OpSpec) (*graph.Node, error) {
	spec, err := r.Place(spec)
	if err != nil {
		return nil, err
	}
	n, err := r.writer.Write(role, spec)
	if err != nil {
		return nil, err
	}
	r.Own(n)
	return n, nil
}

// one adds a node of a role and is its first output.
func (r *Region) one(role Role, op string, attrs graph.Attrs, inputs ...graph.Input) (graph.Output, error) {
	n, err := r.add(role, graph.OpSpec{Type: op, Input: inputs, Attrs: attrs})
	if err != nil {
		return graph.Output{}, err
	}
	return n.Output(0), nil
}

// hold is [Region.one] for a node that is a variable of a loop: it acts when its
// inputs come, and waits for no pivot.
func (r *Region) hold(role Role, op string, inputs ...graph.Input) (graph.Output, error) {
	n, err := r.writer.Write(role, graph.OpSpec{Type: op, Input: inputs})
	if err != nil {
		return graph.Output{}, err
	}
	r.Own(n)
	return n.Output(0), nil
}

// referring returns the form of an operation that forwards v as the reference that it
// is, if it is one. A variable of a loop is a value all the same.
func referring(op string, v graph.Output) string {
	if v.DataType().IsRef() {
		return "Ref" + op
	}
	return op
}
