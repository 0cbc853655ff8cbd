package layers

import (
	"math"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// MultiHeadAttention is attention of several heads. Its inputs are the query, the value
// and perhaps the key, [examples, time, channels]; without a key the value is the key, and
// a single input is all three: n.Apply(&layers.MultiHeadAttention{…}, x). (Vaswani et al.,
// 2017.)
//
// Variables: query/kernel, key/kernel [in, NumHeads, KeyDim], value/kernel [in, NumHeads,
// ValueDim], query/bias, key/bias [NumHeads, KeyDim], value/bias [NumHeads, ValueDim],
// attention_output/kernel [NumHeads, ValueDim, channels of the query],
// attention_output/bias.
type MultiHeadAttention struct {
	Name              string
	NumHeads          int64
	KeyDim            int64
	ValueDim          int64   // KeyDim
	Dropout           float64 // of the attention's weights
	NoBias            bool
	Causal            bool              // no attention to later times; Keras has it as an argument of the call
	KernelInitializer train.Initializer // train.GlorotUniform
	BiasInitializer   train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *MultiHeadAttention) Label() (name, kind string) { return l.Name, "multi_head_attention" }

// Call adds the layer.
func (l *MultiHeadAttention) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	if c.Scope.Err() != nil {
		return tf.Output{}
	}
	if len(in) > 3 {
		c.Fail("the layer takes a query, a value and a key, not %d inputs", len(in))
		return in[0]
	}
	query := in[0]
	value := in[min(1, len(in)-1)]
	key := in[len(in)-1]
	valueDim := or(l.ValueDim, l.KeyDim)
	if !c.rank(query, 3) || !c.rank(value, 3) || !c.rank(key, 3) ||
		!c.positive("NumHeads", l.NumHeads) || !c.positive("KeyDim", l.KeyDim) || !c.positive("ValueDim", valueDim) {
		return query
	}
	s := c.Scope
	q := l.heads(c.Within("query"), query, l.KeyDim)
	k := l.heads(c.Within("key"), key, l.KeyDim)
	v := l.heads(c.Within("value"), value, valueDim)
	q = op.Mul(s, q, number(s, 1/math.Sqrt(float64(l.KeyDim))))
	scores := op.BatchMatMulV2(s, q, k, op.BatchMatMulV2AdjY(true)) // [examples, heads, queries, keys]
	if s.Err() != nil {
		return query
	}
	for i, as := range []func(*op.Scope, tf.Output) tf.Output{asQueries, asKeys, asKeys} { // query, value, key
		if mask, ok := c.Mask(min(i, len(in)-1)); ok {
			scores = op.SelectV2(s, op.ExpandDims(s, as(s, mask), op.Const(s, int32(1))), scores, number(s, -1e9))
		}
	}
	if l.Causal {
		scores = causal(s, scores)
	}
	weights := c.Dropout(op.Softmax(s, scores), l.Dropout)
	joined := op.Transpose(s, op.BatchMatMulV2(s, weights, v), integers(s, 0, 2, 1, 3)) // [examples, queries, heads, value]
	output := c.Within("attention_output")
	n := dim(query, -1)
	kernel := output.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), l.NumHeads, valueDim, n)
	flat := op.Reshape(s, joined, resized(s, query, 2, l.NumHeads*valueDim))
	y := project(s, flat, op.Reshape(s, kernel.Value, integers(s, int32(l.NumHeads*valueDim), int32(n))), n)
	if !l.NoBias {
		y = op.BiasAdd(s, y, output.Variable("bias", initializer(l.BiasInitializer, train.Zeros), n).Value)
	}
	return y
}

// heads is a projection of x for each head: [examples, heads, time, size].
func (l *MultiHeadAttention) heads(c *Context, x tf.Output, size int64) tf.Output {
	s := c.Scope
	n := dim(x, -1)
	kernel := c.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), n, l.NumHeads, size)
	if s.Err() != nil {
		return x
	}
	y := project(s, x, op.Reshape(s, kernel.Value, integers(s, int32(n), int32(l.NumHeads*size))), l.NumHeads*size)
	if !l.NoBias {
		bias := c.Variable("bias", initializer(l.BiasInitializer, train.Zeros), l.NumHeads, size)
		y = op.BiasAdd(s, y, op.Reshape(s, bias.Value, integers(s, -1)))
	}
	return op.Transpose(s, op.Reshape(s, y, resized(s, x, 2, l.NumHeads, size)), integers(s, 0, 2, 1, 3))
}

// causal is scores [… queries, keys], very low for keys later than the query.
func causal(s *op.Scope, scores tf.Output) tf.Output {
	shape, rank := op.Shape(s, scores), int32(scores.Shape().NumDimensions())
	at := func(i int32) tf.Output {
		return op.Range(s, op.Const(s, int32(0)), op.GatherV2(s, shape, op.Const(s, i), op.Const(s, int32(0))), op.Const(s, int32(1)))
	}
	seen := op.GreaterEqual(s, op.ExpandDims(s, at(rank-2), op.Const(s, int32(1))), op.ExpandDims(s, at(rank-1), op.Const(s, int32(0))))
	return op.SelectV2(s, seen, scores, number(s, -1e9))
}

// Attention is softmax(query·keyᵀ)·value. Its inputs are the query, the value and perhaps
// the key, [examples, time, channels]; without a key the value is the key. (Luong et al.,
// 2015.) It has no variables.
type Attention struct {
	Name    string
	Dropout float64 // of the attention's weights
	Causal  bool    // no attention to later times; Keras has it as an argument of the call
}

// Label is the layer's name or kind.
func (l *Attention) Label() (name, kind string) { return l.Name, "attention" }

// Call adds the layer.
func (l *Attention) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	if c.Scope.Err() != nil {
		return tf.Output{}
	}
	query, value, key, ok := c.parts(in)
	if !ok {
		return query
	}
	scores := op.BatchMatMulV2(c.Scope, query, key, op.BatchMatMulV2AdjY(true)) // [examples, queries, keys]
	return c.attend(scores, value, l.Causal, l.Dropout)
}

// parts are the query, the value and the key of an attention.
func (c *Context) parts(in []tf.Output) (query, value, key tf.Output, ok bool) {
	if len(in) < 2 || len(in) > 3 {
		c.Fail("the layer takes a query, a value and perhaps a key, not %d inputs", len(in))
		return in[0], in[0], in[0], false
	}
	query, value, key = in[0], in[1], in[len(in)-1]
	return query, value, key, c.rank(query, 3) && c.rank(value, 3) && c.rank(key, 3)
}

// attend is softmax(scores)·value.
func (c *Context) attend(scores, value tf.Output, onlyPast bool, dropout float64) tf.Output {
	if c.Scope.Err() != nil {
		return scores
	}
	s := c.Scope
	if mask, ok := c.Mask(1); ok {
		scores = op.SelectV2(s, asKeys(s, mask), scores, number(s, -1e9))
	}
	if onlyPast {
		scores = causal(s, scores)
	}
	y := op.BatchMatMulV2(s, c.Dropout(op.Softmax(s, scores), dropout), value)
	if mask, ok := c.Mask(0); ok {
		y = op.SelectV2(s, asQueries(s, mask), y, number(s, 0))
	}
	return y
}

// asQueries is a mask of queries for scores [examples, queries, keys], asKeys one of keys.
func asQueries(s *op.Scope, mask tf.Output) tf.Output { return steps(s, mask) }

func asKeys(s *op.Scope, mask tf.Output) tf.Output {
	return op.ExpandDims(s, mask, op.Const(s, int32(1)))
}

// AdditiveAttention is softmax(scores)·value with scores Σ scale·tanh(query+key). Its
// inputs are the query, the value and perhaps the key, [examples, time, channels]; without a
// key the value is the key. (Bahdanau et al., 2015.)
//
// Variables: scale [channels].
type AdditiveAttention struct {
	Name    string
	NoScale bool    // a scale of 1
	Dropout float64 // of the attention's weights
	Causal  bool    // no attention to later times; Keras has it as an argument of the call
}

// Label is the layer's name or kind.
func (l *AdditiveAttention) Label() (name, kind string) { return l.Name, "additive_attention" }

// Call adds the layer.
func (l *AdditiveAttention) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	if c.Scope.Err() != nil {
		return tf.Output{}
	}
	query, value, key, ok := c.parts(in)
	if !ok {
		return query
	}
	s := c.Scope
	sums := op.Tanh(s, op.AddV2(s, op.ExpandDims(s, query, op.Const(s, int32(2))), op.ExpandDims(s, key, op.Const(s, int32(1)))))
	if !l.NoScale {
		sums = op.Mul(s, sums, c.Variable("scale", train.GlorotUniform, dim(query, -1)).Value)
	}
	return c.attend(op.Sum(s, sums, integers(s, -1)), value, l.Causal, l.Dropout)
}
