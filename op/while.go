package op

import (
	"github.com/troupe-go/troupe/graph/region"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// WhileAttr is an option of While.
type WhileAttr func(optionalAttr)

// WhileParallelIterations sets how many iterations may be under way at once,
// which is 10 by default.
func WhileParallelIterations(value int64) WhileAttr {
	return func(attrs optionalAttr) { attrs["parallel_iterations"] = value }
}

// While builds a loop: as long as cond holds of the loop's variables, body gives
// them new values. They begin as init; the results are their last values. There
// must be at least one.
//
//	results := op.While(s, []tf.Output{i, sum},
//		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
//		func(s *op.Scope, v []tf.Output) []tf.Output {
//			return []tf.Output{op.Add(s, v[0], one), op.Add(s, v[1], v[0])}
//		})
//
// cond and body are called once, to build the loop's two parts, and add
// operations to the scope they are given, whose names are made unique. They may
// use outputs from outside the loop, which are then carried in, and contain
// further loops. What they add runs once for each time that the condition is
// computed and the body is executed, also if it depends on nothing. Control
// dependencies of scope hold up the loop as a whole. A variable keeps its type;
// its shape may change, so nothing is known of it before the graph runs.
//
// The loop is made of Enter, Merge, Switch, NextIteration and Exit operations.
// TensorFlow's binding has nothing like it.
func While(scope *Scope, init []tf.Output, cond func(s *Scope, v []tf.Output) tf.Output, body func(s *Scope, v []tf.Output) []tf.Output, optional ...WhileAttr) (results []tf.Output) {
	if scope.Err() != nil {
		return nil
	}
	parallel := with(optionalAttr{"parallel_iterations": int64(10)}, optional)["parallel_iterations"].(int64)
	switch {
	case parallel < 1:
		scope.UpdateErr("While", status.Invalid("parallel_iterations is %d, but must be at least 1", parallel))
		return nil
	case len(init) == 0:
		scope.UpdateErr("While", status.Invalid("a loop needs at least one variable"))
		return nil
	}
	outside := scope.SubScope("while").WithUniqueNames()
	outer := scope.region
	if outer == nil {
		outer = scope.shared.root
	}
	l, err := outer.Loop(region.LoopSpec{
		Frame: outside.namespace, ParallelIterations: parallel, Init: init,
		ControlDependencies: scope.controls, Writer: regionWriter{outside},
	})
	if err == nil {
		err = l.Test(cond(outside.in(l.Cond, "cond"), l.Vars))
	}
	if err == nil {
		results, err = l.Close(body(outside.in(l.Body, "body"), l.Current))
	}
	scope.UpdateErr("While", err)
	if scope.Err() != nil {
		return nil
	}
	return results
}

// in is a scope for what a program adds to a region.
func (s *Scope) in(r *region.Region, namespace string) *Scope {
	sub := s.SubScope(namespace)
	sub.controls, sub.region = nil, r
	return sub
}

// A regionWriter adds the nodes that a loop is made of, under the names of their
// operations.
type regionWriter struct{ scope *Scope }

func (w regionWriter) Write(_ region.Role, spec tf.OpSpec) (*tf.Operation, error) {
	s := w.scope
	if s.Err() != nil {
		return nil, s.Err()
	}
	spec.Name, spec.Device = s.name(spec.Type), s.device
	n, err := s.graph.AddOperation(spec)
	if err != nil {
		s.UpdateErr(spec.Type, err)
	}
	return n, err
}

func (w regionWriter) Close(merge *tf.Operation, from tf.Output) error {
	return w.scope.graph.SetBackEdge(merge, 1, from)
}
