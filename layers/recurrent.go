package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// LSTM is a long short-term memory over time; the input is [examples, time, channels]. It
// returns the last output [examples, Units] or, with ReturnSequences, all of them
// [examples, time, Units]. (Hochreiter and Schmidhuber, 1997.)
//
// Variables: lstm_cell/kernel [in, 4·Units], lstm_cell/recurrent_kernel [Units, 4·Units],
// lstm_cell/bias [4·Units], each for the gates input, forget, cell and output.
type LSTM struct {
	Name                 string
	Units                int64
	Activation           Activation // Tanh
	RecurrentActivation  Activation // Sigmoid
	NoBias               bool
	NoUnitForgetBias     bool // else the forget gate begins with a bias of 1
	ReturnSequences      bool
	GoBackwards          bool // begins at the end, and returns the outputs in this order
	Dropout              float64
	Unroll               bool              // no loop, which is faster for short sequences of known length
	KernelInitializer    train.Initializer // train.GlorotUniform
	RecurrentInitializer train.Initializer // train.Orthogonal
	BiasInitializer      train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *LSTM) Label() (name, kind string) { return l.Name, "lstm" }

// Call adds the layer.
func (l *LSTM) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 3) || !c.positive("Units", l.Units) {
		return x
	}
	cell := c.Within("lstm_cell")
	bias := initializer(l.BiasInitializer, train.Zeros)
	if l.BiasInitializer == nil && !l.NoUnitForgetBias {
		first := make([]float32, 4*l.Units)
		for i := l.Units; i < 2*l.Units; i++ {
			first[i] = 1
		}
		bias = train.Given(first)
	}
	kernel := cell.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), dim(x, -1), 4*l.Units)
	recurrent := cell.Variable("recurrent_kernel", initializer(l.RecurrentInitializer, train.Orthogonal), l.Units, 4*l.Units)
	x = project(c.Scope, c.Dropout(x, l.Dropout), kernel.Value, 4*l.Units)
	if !l.NoBias {
		x = op.BiasAdd(c.Scope, x, cell.Variable("bias", bias, 4*l.Units).Value)
	}
	step := func(s *op.Scope, x tf.Output, state []tf.Output) (tf.Output, []tf.Output) {
		h, memory := state[0], state[1]
		gates := op.Split(s, op.Const(s, int32(1)), op.AddV2(s, x, op.MatMul(s, h, recurrent.Value)), 4)
		if s.Err() != nil {
			return h, state
		}
		enter := apply(s, l.RecurrentActivation, Sigmoid, gates[0])
		keep := apply(s, l.RecurrentActivation, Sigmoid, gates[1])
		value := apply(s, l.Activation, Tanh, gates[2])
		leave := apply(s, l.RecurrentActivation, Sigmoid, gates[3])
		memory = op.AddV2(s, op.Mul(s, keep, memory), op.Mul(s, enter, value))
		h = op.Mul(s, leave, apply(s, l.Activation, Tanh, memory))
		return h, []tf.Output{h, memory}
	}
	return recur(c, x, l.Units, 2, recurrence{l.ReturnSequences, l.GoBackwards, l.Unroll, c.gaps}, step)
}

// GRU is a gated recurrent unit over time, with the reset gate after the matrix product;
// the input is [examples, time, channels]. It returns the last output [examples, Units]
// or, with ReturnSequences, all of them [examples, time, Units]. (Cho et al., 2014.)
//
// Variables: gru_cell/kernel [in, 3·Units], gru_cell/recurrent_kernel [Units, 3·Units],
// gru_cell/bias [2, 3·Units], each for the gates update, reset and the candidate.
type GRU struct {
	Name                 string
	Units                int64
	Activation           Activation // Tanh
	RecurrentActivation  Activation // Sigmoid
	NoBias               bool
	ReturnSequences      bool
	GoBackwards          bool // begins at the end, and returns the outputs in this order
	Dropout              float64
	Unroll               bool              // no loop, which is faster for short sequences of known length
	KernelInitializer    train.Initializer // train.GlorotUniform
	RecurrentInitializer train.Initializer // train.Orthogonal
	BiasInitializer      train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *GRU) Label() (name, kind string) { return l.Name, "gru" }

// Call adds the layer.
func (l *GRU) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 3) || !c.positive("Units", l.Units) {
		return x
	}
	cell := c.Within("gru_cell")
	kernel := cell.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), dim(x, -1), 3*l.Units)
	recurrent := cell.Variable("recurrent_kernel", initializer(l.RecurrentInitializer, train.Orthogonal), l.Units, 3*l.Units)
	x = project(c.Scope, c.Dropout(x, l.Dropout), kernel.Value, 3*l.Units)
	var inner tf.Output // the bias of what comes from the last step
	if !l.NoBias {
		bias := cell.Variable("bias", initializer(l.BiasInitializer, train.Zeros), 2, 3*l.Units)
		rows := op.Unpack(c.Scope, bias.Value, 2)
		if c.Scope.Err() != nil {
			return x
		}
		x, inner = op.BiasAdd(c.Scope, x, rows[0]), rows[1]
	}
	step := func(s *op.Scope, x tf.Output, state []tf.Output) (tf.Output, []tf.Output) {
		h := state[0]
		before := op.MatMul(s, h, recurrent.Value)
		if !l.NoBias {
			before = op.BiasAdd(s, before, inner)
		}
		now, past := op.Split(s, op.Const(s, int32(1)), x, 3), op.Split(s, op.Const(s, int32(1)), before, 3)
		if s.Err() != nil {
			return h, state
		}
		update := apply(s, l.RecurrentActivation, Sigmoid, op.AddV2(s, now[0], past[0]))
		reset := apply(s, l.RecurrentActivation, Sigmoid, op.AddV2(s, now[1], past[1]))
		candidate := apply(s, l.Activation, Tanh, op.AddV2(s, now[2], op.Mul(s, reset, past[2])))
		h = op.AddV2(s, op.Mul(s, update, h), op.Mul(s, op.Sub(s, number(s, 1), update), candidate))
		return h, []tf.Output{h}
	}
	return recur(c, x, l.Units, 1, recurrence{l.ReturnSequences, l.GoBackwards, l.Unroll, c.gaps}, step)
}

// SimpleRNN is h = tanh(x·kernel + h·recurrent_kernel + bias) over time; the input is
// [examples, time, channels]. It returns the last output [examples, Units] or, with
// ReturnSequences, all of them [examples, time, Units].
//
// Variables: simple_rnn_cell/kernel [in, Units], simple_rnn_cell/recurrent_kernel [Units,
// Units], simple_rnn_cell/bias [Units].
type SimpleRNN struct {
	Name                 string
	Units                int64
	Activation           Activation // Tanh
	NoBias               bool
	ReturnSequences      bool
	GoBackwards          bool // begins at the end, and returns the outputs in this order
	Dropout              float64
	Unroll               bool              // no loop, which is faster for short sequences of known length
	KernelInitializer    train.Initializer // train.GlorotUniform
	RecurrentInitializer train.Initializer // train.Orthogonal
	BiasInitializer      train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *SimpleRNN) Label() (name, kind string) { return l.Name, "simple_rnn" }

// Call adds the layer.
func (l *SimpleRNN) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 3) || !c.positive("Units", l.Units) {
		return x
	}
	cell := c.Within("simple_rnn_cell")
	kernel := cell.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), dim(x, -1), l.Units)
	recurrent := cell.Variable("recurrent_kernel", initializer(l.RecurrentInitializer, train.Orthogonal), l.Units, l.Units)
	x = project(c.Scope, c.Dropout(x, l.Dropout), kernel.Value, l.Units)
	if !l.NoBias {
		x = op.BiasAdd(c.Scope, x, cell.Variable("bias", initializer(l.BiasInitializer, train.Zeros), l.Units).Value)
	}
	step := func(s *op.Scope, x tf.Output, state []tf.Output) (tf.Output, []tf.Output) {
		h := apply(s, l.Activation, Tanh, op.AddV2(s, x, op.MatMul(s, state[0], recurrent.Value)))
		return h, []tf.Output{h}
	}
	return recur(c, x, l.Units, 1, recurrence{l.ReturnSequences, l.GoBackwards, l.Unroll, c.gaps}, step)
}

// A recurrence says how a recurrent layer goes through time.
type recurrence struct {
	sequences, backwards, unroll bool
	gaps                         bool // outputs are 0 at steps that do not count
}

// A step computes an output and the next state from an input [examples, channels] and the
// state.
type step func(s *op.Scope, x tf.Output, state []tf.Output) (tf.Output, []tf.Output)

// recur applies a step at each time of x [examples, time, channels]. The first output of
// the state is the output; it begins with zeros [examples, units].
func recur(c *Context, x tf.Output, units int64, states int, r recurrence, f step) tf.Output {
	s := c.Scope
	if s.Err() != nil {
		return x
	}
	time := dim(x, 1)
	if r.unroll && time < 1 {
		c.Fail("the input has shape %v: to unroll a layer, the number of its steps must be known", x.Shape())
		return x
	}
	channels := dim(x, 2)
	x = op.Transpose(s, x, integers(s, 1, 0, 2))
	if r.backwards {
		x = op.ReverseV2(s, x, integers(s, 0))
	}
	mask, isMasked := c.Mask(0)
	if isMasked {
		if r.sequences {
			c.SetMask(mask)
		}
		if mask = op.Transpose(s, mask, integers(s, 1, 0)); r.backwards {
			mask = op.ReverseV2(s, mask, integers(s, 0))
		}
	}
	// next is f, of which the state remains at steps that do not count, and the output too
	// unless it has gaps.
	next := func(s *op.Scope, i, x tf.Output, state []tf.Output) (tf.Output, []tf.Output) {
		h, after := f(s, x, state)
		if !isMasked {
			return h, after
		}
		counts := steps(s, op.GatherV2(s, mask, i, op.Const(s, int32(0))))
		for j := range after {
			after[j] = op.SelectV2(s, counts, after[j], state[j])
		}
		if r.gaps {
			return op.SelectV2(s, counts, h, number(s, 0)), after
		}
		return after[0], after
	}
	whole := op.Shape(s, x)
	at := func(i int32) tf.Output { return op.GatherV2(s, whole, op.Const(s, i), op.Const(s, int32(0))) }
	zeros := op.Fill(s, op.Pack(s, []tf.Output{at(1), op.Const(s, int32(units))}), number(s, 0))
	state := make([]tf.Output, states)
	for i := range state {
		state[i] = zeros
	}
	if r.unroll {
		var all []tf.Output
		var h tf.Output
		for i, now := range op.Unpack(s, x, time) {
			h, state = next(s, op.Const(s, int32(i)), now, state)
			all = append(all, h)
		}
		if !r.sequences || s.Err() != nil {
			return h
		}
		return op.Pack(s, all, op.PackAxis(1))
	}
	length := at(0)
	indices := op.Range(s, op.Const(s, int32(0)), length, op.Const(s, int32(1)))
	in, flow := op.TensorArrayV3(s.SubScope("inputs"), length, tf.Float, op.TensorArrayV3ElementShape(tf.MakeShape(-1, channels)))
	flow = op.TensorArrayScatterV3(s, in, indices, x, flow)
	loop := append([]tf.Output{op.Const(s, int32(0))}, state...)
	var out tf.Output
	if r.sequences {
		var kept tf.Output
		out, kept = op.TensorArrayV3(s.SubScope("outputs"), length, tf.Float, op.TensorArrayV3ElementShape(tf.MakeShape(-1, units)))
		loop = append(loop, kept)
	}
	result := op.While(s, loop,
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], length) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			now := op.TensorArrayReadV3(s, in, v[0], flow, tf.Float)
			h, state := next(s, v[0], now, v[1:1+states])
			after := append([]tf.Output{op.AddV2(s, v[0], op.Const(s, int32(1)))}, state...)
			if r.sequences {
				after = append(after, op.TensorArrayWriteV3(s, out, v[0], h, v[1+states]))
			}
			return after
		})
	if s.Err() != nil {
		return x
	}
	if !r.sequences {
		return shaped(s, result[1], -1, units)
	}
	all := op.TensorArrayGatherV3(s, out, indices, result[1+states], tf.Float, op.TensorArrayGatherV3ElementShape(tf.MakeShape(-1, units)))
	return shaped(s, op.Transpose(s, all, integers(s, 1, 0, 2)), -1, time, units)
}

// shaped is x with a shape that is known to be the right one.
func shaped(s *op.Scope, x tf.Output, dims ...int64) tf.Output {
	return op.EnsureShape(s, x, tf.MakeShape(dims...))
}

// Bidirectional applies a recurrent layer forwards and, with variables of its own,
// backwards in time, and concatenates the results. (Schuster and Paliwal, 1997.)
//
// Variables: forward_… and backward_…, with the name of the layer, which counts among those of its
// kind as if it stood alone.
type Bidirectional struct {
	Name  string
	Layer Layer // an LSTM, a GRU or a SimpleRNN
	Merge Layer // of both results: a Concatenate
}

// Label is the layer's name or kind.
func (l *Bidirectional) Label() (name, kind string) { return l.Name, "bidirectional" }

// Call adds the layer.
func (l *Bidirectional) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok {
		return x
	}
	var back Layer
	sequences := false
	switch f := l.Layer.(type) {
	case *LSTM:
		b := *f
		b.GoBackwards, sequences, back = !f.GoBackwards, f.ReturnSequences, &b
	case *GRU:
		b := *f
		b.GoBackwards, sequences, back = !f.GoBackwards, f.ReturnSequences, &b
	case *SimpleRNN:
		b := *f
		b.GoBackwards, sequences, back = !f.GoBackwards, f.ReturnSequences, &b
	default:
		c.Fail("a layer of type %T has no direction: use an LSTM, a GRU or a SimpleRNN", l.Layer)
		return x
	}
	name := c.net.label(l.Layer) // counted among those of its kind, as in Keras
	way := func(l Layer, name string) tf.Output {
		part := c.Within(name)
		part.masks, part.gaps = c.masks, sequences
		return l.Call(part, in)
	}
	forth, other := way(l.Layer, "forward_"+name), way(back, "backward_"+name)
	if sequences && c.Scope.Err() == nil {
		other = op.ReverseV2(c.Scope, other, integers(c.Scope, 1))
	}
	merge := l.Merge
	if merge == nil {
		merge = &Concatenate{}
	}
	if c.Scope.Err() != nil {
		return x
	}
	if sequences {
		c.KeepMask()
	}
	both := *c
	both.masks = nil
	return merge.Call(&both, []tf.Output{forth, other})
}

// TimeDistributed applies a layer to each step of a series [examples, time, …] as to an
// example of its own.
//
// Variables: those of the layer, below its name, which counts among those of its kind.
type TimeDistributed struct {
	Name  string
	Layer Layer
}

// Label is the layer's name or kind.
func (l *TimeDistributed) Label() (name, kind string) { return l.Name, "time_distributed" }

// Call adds the layer.
func (l *TimeDistributed) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	rank := x.Shape().NumDimensions()
	if rank < 3 {
		c.Fail("the input has shape %v, but must be a series: examples, time and at least one dimension", x.Shape())
		return x
	}
	s := c.Scope
	inner := c.Within(c.net.label(l.Layer))
	y := l.Layer.Call(inner, []tf.Output{c.regroup(x, 2, op.Const(s, int32(-1)))})
	return c.regroup(y, 1, op.Const(s, int32(-1)), dimension(s, x, 1))
}

// regroup is x, of which the first n dimensions become those of lead.
func (c *Context) regroup(x tf.Output, n int, lead ...tf.Output) tf.Output {
	s := c.Scope
	if s.Err() != nil {
		return x
	}
	for i := n; i < x.Shape().NumDimensions(); i++ {
		lead = append(lead, dimension(s, x, i))
	}
	return op.Reshape(s, x, op.Pack(s, lead))
}
