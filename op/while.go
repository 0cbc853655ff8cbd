package op

import (
	"github.com/troupe-go/troupe/graph/region"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// WhileAttr is an option of While.
type WhileAttr attr

// WhileParallelIterations sets the number of iterations that may run at the same time,
// 10 by default.
func WhileParallelIterations(value int64) WhileAttr {
	return WhileAttr{name: "parallel_iterations", value: value}
}

// While builds a loop: while cond is true of the loop variables, body computes their
// next values. Their initial values are init, of which there must be at least one; the
// results are their last values.
//
//	results := op.While(s, []tf.Output{i, sum},
//		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
//		func(s *op.Scope, v []tf.Output) []tf.Output {
//			return []tf.Output{op.Add(s, v[0], one), op.Add(s, v[1], v[0])}
//		})
//
// cond and body are called once, to build the condition and the body, and add operations
// to the scope that they are given, in which names are made unique. They may use outputs
// from outside the loop, which become loop invariants, and contain further loops. Their
// operations run in every iteration, even if they depend on nothing in it. Control
// dependencies of scope delay the whole loop. A loop variable keeps its type; its shape
// may change, so it is unknown before the graph runs.
//
// The loop consists of Enter, Merge, Switch, NextIteration and Exit operations.
// TensorFlow's binding has no equivalent.
func While(scope *Scope, init []tf.Output, cond func(s *Scope, v []tf.Output) tf.Output, body func(s *Scope, v []tf.Output) []tf.Output, optional ...WhileAttr) (results []tf.Output) {
	if scope.Err() != nil {
		return nil
	}
	parallel := int64(10)
	for _, o := range optional {
		if n, ok := o.value.(int64); ok {
			parallel = n
		}
	}
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

// in returns a scope for what a program adds to a region.
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
