package train

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"

	// What a model and gradients add to a graph.
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/linalg"
	_ "github.com/troupe-go/troupe/ops/list"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/nn"
	_ "github.com/troupe-go/troupe/ops/random"
	_ "github.com/troupe-go/troupe/ops/sparse"
	_ "github.com/troupe-go/troupe/ops/state"
	_ "github.com/troupe-go/troupe/ops/train"
)

// A Model is a graph under construction for training, and its variables.
type Model struct {
	graph  *tf.Graph
	scope  *op.Scope
	seed   uint64
	vars   []*Variable // in the order in which they were made
	byName map[string]*Variable
	goals  []*Goal
}

// NewModel makes a model of a graph, which may already contain operations. Initial
// values and [Model.Dropout] derive from the seed.
func NewModel(g *tf.Graph, seed uint64) *Model {
	return &Model{graph: g, scope: op.NewScopeWithGraph(g).WithUniqueNames(), seed: seed, byName: map[string]*Variable{}}
}

// Graph returns the model's graph.
func (m *Model) Graph() *tf.Graph { return m.graph }

// Scope returns a scope of the model's graph that makes names unique.
func (m *Model) Scope() *op.Scope { return m.scope }

// Err returns the first error of the construction.
func (m *Model) Err() error { return m.scope.Err() }

// Variables are the model's variables in order of creation, including those of
// optimizers.
func (m *Model) Variables() []*Variable { return slices.Clone(m.vars) }

// Lookup returns the variable of that name, or nil.
func (m *Model) Lookup(name string) *Variable { return m.byName[name] }

// Dropout sets each element of x to 0 with probability rate and scales the others so
// that the expected sum is unchanged. The choice depends on the model's seed, the place
// in the graph and the update number of the first goal, so resumed training makes the
// same choices.
func (m *Model) Dropout(s *op.Scope, x tf.Output, rate float64) tf.Output {
	if s.Err() != nil {
		return tf.Output{}
	}
	if !(rate >= 0 && rate < 1) {
		s.UpdateErr("Dropout", status.Invalid("the rate is %v, but must be in [0, 1)", rate))
		return tf.Output{}
	}
	s = s.SubScope("dropout").WithUniqueNames()
	shape := op.Shape(s, x)
	if s.Err() != nil {
		return tf.Output{}
	}
	where := op.Const(s, m.seedOf(shape.Op.Name()))
	seed := op.Pack(s, []tf.Output{where, m.counter(globalStep).Value})
	draw := op.StatelessRandomUniform(s, shape, seed, op.StatelessRandomUniformDtype(tf.Float))
	keep := op.GreaterEqual(s, draw, op.Const(s, float32(rate)))
	grown := op.Mul(s, x, number(s, x.DataType(), 1/(1-rate)))
	return op.SelectV2(s, keep, grown, number(s, x.DataType(), 0))
}

// Seed is a seed [2] of stateless random operations that depends, as [Model.Dropout] does,
// on the model's seed, the place in the graph and the update number of the first goal.
func (m *Model) Seed(s *op.Scope) tf.Output {
	s = s.SubScope("seed").WithUniqueNames()
	step := op.Identity(s, m.counter(globalStep).Value)
	if s.Err() != nil {
		return tf.Output{}
	}
	return op.Pack(s, []tf.Output{op.Const(s, m.seedOf(step.Op.Name())), step})
}

const globalStep = "global_step"

// counter returns the variable of a name that counts updates.
func (m *Model) counter(name string) *Variable {
	if v := m.byName[name]; v != nil {
		return v
	}
	v := m.Variable(name, Zeros, tf.Int64)
	v.Trainable = false
	return v
}

// seedOf returns the seed of what is random at a place of the model.
func (m *Model) seedOf(place string) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", m.seed, place)
	return int64(h.Sum64() >> 1)
}

// number returns a scalar constant.
func number(s *op.Scope, dt tf.DataType, x float64) tf.Output {
	if s.Err() != nil {
		return tf.Output{}
	}
	c := op.Const(s, x)
	if dt == tf.Double {
		return c
	}
	return op.Cast(s, c, dt)
}
