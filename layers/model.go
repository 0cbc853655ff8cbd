package layers

import (
	"context"
	"iter"
	"slices"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/train"
)

// A Config says how a network is trained. The zero Config is for inference.
type Config struct {
	Loss      Loss            // nil for a model that is not trained
	Optimizer train.Optimizer // nil is train.Adam with a rate of 0.001
	Metrics   []Metric
	Options   train.Options // clipping, weight decay, averages and so on
	Session   *tf.SessionOptions
}

// An Output is one of several results of a network.
type Output struct {
	// Name is its name in the signature of an exported model, and precedes the names of its
	// loss and metrics: "box_loss".
	Name    string
	Tensor  *Tensor
	Loss    Loss    // nil for an output that is not trained
	Weight  float64 // of the loss in what is minimized: 1
	Metrics []Metric
}

// A Model is a network in a session, ready to run and perhaps to be trained. It is not
// safe for concurrent use.
type Model struct {
	net     *Network
	names   []string
	outputs []tf.Output // for inference
	session *tf.Session
	owned   bool // the session is the model's to close
	trainer *train.Trainer

	// Of a model to be trained.
	goal      *train.Goal // nil if it is not
	parts     []*part
	weights   tf.Output
	training  measures
	inference measures
	calls     map[string]*callable
}

// A part is an output that is trained.
type part struct {
	Output
	prefix string // of the names of metrics
	labels tf.Output
}

// Compile is [Network.Compile] of the tensor's network.
func (t *Tensor) Compile(ctx context.Context, c Config) (*Model, error) {
	return t.net.Compile(ctx, t, c)
}

// Compile finishes the network: it opens a session and initializes the variables. With a
// loss, it also adds the network for training, the gradients and the updates. It fails
// with the first error of the construction. The model must be closed.
func (n *Network) Compile(ctx context.Context, output *Tensor, c Config) (*Model, error) {
	return n.CompileOutputs(ctx, []Output{{Name: "output", Tensor: output, Loss: c.Loss, Metrics: c.Metrics}}, c)
}

// CompileOutputs is [Network.Compile] for several outputs, whose losses, multiplied by their
// weights, are added. Loss and Metrics of the Config are not used. A batch has labels for
// each output with a loss, in the same order, in Ys.
func (n *Network) CompileOutputs(ctx context.Context, outputs []Output, c Config) (*Model, error) {
	m := &Model{net: n, calls: map[string]*callable{}}
	for i, o := range outputs {
		switch {
		case n.Err() != nil:
		case o.Tensor == nil || o.Tensor.net != n:
			n.fail("Compile", status.Invalid("the output is not a tensor of this network"))
		case o.Name == "" || slices.ContainsFunc(outputs[:i], func(p Output) bool { return p.Name == o.Name }):
			n.fail("Compile", status.Invalid("output %d is named %q, but each must have a name of its own", i, o.Name))
		}
		if n.Err() != nil {
			return nil, n.Err()
		}
		out := o.Tensor.out
		if out.Op.Type() == "Placeholder" || slices.Contains(m.outputs, out) { // a session does not fetch what it is fed
			out = op.Identity(n.model.Scope().SubScope("output").WithUniqueNames(), out)
		}
		m.names, m.outputs = append(m.names, o.Name), append(m.outputs, out)
		if o.Loss != nil {
			o.Weight = or(o.Weight, 1)
			m.parts = append(m.parts, &part{Output: o})
		}
	}
	if len(outputs) == 0 {
		n.fail("Compile", status.Invalid("the network has no outputs"))
	}
	if len(m.parts) > 0 {
		m.addTraining(c)
	}
	if n.Err() != nil {
		return nil, n.Err()
	}
	m.session = n.saved
	if m.session == nil {
		var err error
		if m.session, err = tf.NewSession(n.model.Graph(), c.Session); err != nil {
			return nil, err
		}
		m.owned = true
	}
	var err error
	if m.trainer, err = n.model.Start(ctx, m.session); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Model) addTraining(c Config) {
	n := m.net
	s := n.model.Scope().SubScope("loss").WithUniqueNames()
	m.weights = op.PlaceholderWithDefault(s.SubScope("weights"), op.Const(s, []float32{1}), tf.MakeShape(-1))
	var present []masked
	var tensors []*Tensor
	for _, p := range m.parts {
		out := m.outputs[slices.Index(m.names, p.Name)]
		dt, shape := p.Loss.Labels(out)
		p.labels = op.Placeholder(s.SubScope("labels"), dt, op.PlaceholderShape(shape))
		if len(m.names) > 1 {
			p.prefix = p.Name + "_"
		}
		present = append(present, masked{out, p.Tensor.mask})
		tensors = append(tensors, p.Tensor)
	}
	m.inference = m.measure(s.SubScope("inference").WithUniqueNames(), present)
	trained, also := n.training(tensors...)
	if n.Err() != nil {
		return
	}
	m.training = m.measure(s.SubScope("training").WithUniqueNames(), trained)
	var loss tf.Output
	for i, p := range m.parts {
		mean := op.Mean(s, op.Reshape(s, m.training.losses[i], integers(s, -1)), integers(s, 0))
		if p.Weight != 1 {
			mean = op.Mul(s, mean, number(s, p.Weight))
		}
		if i == 0 {
			loss = mean
		} else {
			loss = op.AddV2(s, loss, mean)
		}
	}
	for _, x := range also.losses {
		loss = op.AddV2(s, loss, x)
	}
	if c.Optimizer == nil {
		c.Optimizer = train.Adam{Rate: train.Fixed(0.001)}
	}
	c.Options.Also = append(slices.Clone(c.Options.Also), also.also...)
	m.goal = n.model.Minimize(loss, c.Optimizer, c.Options)
}

// Close closes the session, unless it is that of a loaded model.
func (m *Model) Close() error {
	if !m.owned {
		return nil
	}
	return m.session.Close()
}

// Trainer is the trainer of the model, for what package train has beyond layers.
func (m *Model) Trainer() *train.Trainer { return m.trainer }

// Goal is what Fit minimizes; nil if the model was compiled without a loss.
func (m *Model) Goal() *train.Goal { return m.goal }

// Network is the network of the model.
func (m *Model) Network() *Network { return m.net }

// feeds are what a batch feeds, in the order of inputs, labels and weights.
func (m *Model) feeds(b Batch, labels bool) ([]tf.Output, []*tf.Tensor, error) {
	if b.Err != nil {
		return nil, nil, b.Err
	}
	if err := b.check(); err != nil {
		return nil, nil, err
	}
	if len(b.X) != len(m.net.inputs) {
		return nil, nil, status.Invalid("a batch has %d inputs, the network %d", len(b.X), len(m.net.inputs))
	}
	var to []tf.Output
	var list []*tf.Tensor
	add := func(o tf.Output, t *tf.Tensor) error {
		if t == nil {
			return status.Invalid("a batch has no tensor for %v", o)
		}
		t, err := fit(t, o.DataType())
		if err != nil {
			return status.Invalid("a batch feeds %v: %v", o, err)
		}
		to, list = append(to, o), append(list, t)
		return nil
	}
	for i, x := range m.net.inputs {
		if err := add(x.out, b.X[i]); err != nil {
			return nil, nil, err
		}
	}
	if labels {
		ys := b.Ys
		if len(ys) == 0 {
			ys = []*tf.Tensor{b.Y}
		}
		if len(ys) != len(m.parts) {
			return nil, nil, status.Invalid("a batch has labels for %d outputs, the network %d with a loss", len(ys), len(m.parts))
		}
		for i, p := range m.parts {
			y := ys[i]
			if y != nil && p.labels.Shape().NumDimensions() == len(y.Dims())+1 { // one label without its dimension of 1
				y, _ = y.WithShape(append(slices.Clone(y.Dims()), 1))
			}
			if err := add(p.labels, y); err != nil {
				return nil, nil, err
			}
		}
		if b.Weights != nil {
			if err := add(m.weights, b.Weights); err != nil {
				return nil, nil, err
			}
		}
	}
	return to, list, nil
}

// fit is a tensor of a type: numbers of int32 and uint8 also stand for int64 and floats.
func fit(t *tf.Tensor, dt tf.DataType) (*tf.Tensor, error) {
	if t.DType() == dt {
		return t, nil
	}
	v := tensor.ValueOf(t)
	var list []int64
	switch t.DType() {
	case tf.Int64:
		list = tensor.Of[int64](&v)
	case tf.Int32:
		list = converted[int64](tensor.Of[int32](&v))
	case tf.Uint8:
		list = converted[int64](tensor.Of[uint8](&v))
	case tf.Double:
		if dt == tf.Float {
			return tf.FromSlice(converted[float32](tensor.Of[float64](&v)), t.Dims()...)
		}
	}
	if list != nil {
		switch dt {
		case tf.Int64:
			return tf.FromSlice(list, t.Dims()...)
		case tf.Float:
			return tf.FromSlice(converted[float32](list), t.Dims()...)
		}
	}
	return nil, status.Invalid("a tensor of type %v cannot stand for one of type %v", t.DType(), dt)
}

// A callable is a prepared run.
type callable struct {
	run     *tf.Callable
	feeds   []tf.Output
	in, out []tf.Value
}

// call computes outputs of a batch; they are valid until the next call of that kind.
func (m *Model) call(ctx context.Context, kind string, feeds []tf.Output, list []*tf.Tensor, fetches []tf.Output) ([]tf.Value, error) {
	c := m.calls[kind]
	if c == nil || !slices.Equal(c.feeds, feeds) {
		run, err := m.session.MakeCallableContext(ctx, feeds, fetches, nil)
		if err != nil {
			return nil, err
		}
		c = &callable{run: run, feeds: feeds, in: make([]tf.Value, len(feeds)), out: make([]tf.Value, len(fetches))}
		m.calls[kind] = c
	}
	for i, t := range list {
		c.in[i] = tensor.ValueOf(t)
	}
	return c.out, c.run.CallValues(ctx, c.out, c.in)
}

// Predict computes the output, the first of several, for inputs, whose first dimension
// counts examples.
func (m *Model) Predict(ctx context.Context, x ...*tf.Tensor) (*tf.Tensor, error) {
	out, err := m.predict(ctx, m.outputs[:1], x)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// PredictAll computes all outputs for inputs, whose first dimension counts examples.
func (m *Model) PredictAll(ctx context.Context, x ...*tf.Tensor) ([]*tf.Tensor, error) {
	return m.predict(ctx, m.outputs, x)
}

func (m *Model) predict(ctx context.Context, outputs []tf.Output, x []*tf.Tensor) ([]*tf.Tensor, error) {
	feeds, list, err := m.feeds(Batch{X: x}, false)
	if err != nil {
		return nil, err
	}
	in := map[tf.Output]*tf.Tensor{}
	for i, o := range feeds {
		in[o] = list[i]
	}
	return m.session.RunContext(ctx, in, outputs, nil)
}

// Evaluate computes "loss" and the metrics, by their names, over batches in inference.
// Losses that layers add, as regularizers do, are not part of it.
func (m *Model) Evaluate(ctx context.Context, batches iter.Seq[Batch]) (map[string]float64, error) {
	if m.goal == nil {
		return nil, status.Errorf(status.FailedPrecondition, "the model was compiled without a loss")
	}
	accounts := m.accounts(true)
	fetches := m.inference.fetched(true)
	for b := range batches {
		feeds, list, err := m.feeds(b, true)
		if err != nil {
			return nil, err
		}
		out, err := m.call(ctx, "evaluate", feeds, list, fetches)
		if err != nil {
			return nil, err
		}
		if err := accounts.add(out); err != nil {
			return nil, err
		}
	}
	if accounts.losses[0].n == 0 {
		return nil, status.Invalid("there are no batches to evaluate")
	}
	return accounts.results(), nil
}

// Export writes the network for inference, with the present values of the variables, to a
// new directory as a SavedModel. Its signature "serving_default" has the names of the
// inputs, and of the outputs: "output" if there is one.
func (m *Model) Export(ctx context.Context, dir string) error {
	signature := model.ExportSignature{Inputs: map[string]tf.Output{}, Outputs: map[string]tf.Output{}}
	for i, name := range m.names {
		signature.Outputs[name] = m.outputs[i]
	}
	for _, x := range m.net.inputs {
		signature.Inputs[x.out.Op.Name()] = x.out
	}
	return m.trainer.Export(ctx, dir, map[string]model.ExportSignature{"serving_default": signature})
}
