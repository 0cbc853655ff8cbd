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

// A Model is a network in a session, ready to run and perhaps to be trained. It is not
// safe for concurrent use.
type Model struct {
	net     *Network
	output  tf.Output // for inference
	session *tf.Session
	owned   bool // the session is the model's to close
	trainer *train.Trainer

	// Of a model to be trained.
	goal            *train.Goal // nil if it is not
	labels, weights tf.Output
	metrics         []Metric
	training        measures
	inference       measures
	calls           map[string]*callable
}

// measures are what is computed of a network's output and labels.
type measures struct {
	losses  tf.Output   // of the examples, weighted
	metrics []tf.Output // of all metrics one after another
	counts  []int       // of the outputs of each metric
}

// Compile is [Network.Compile] of the tensor's network.
func (t *Tensor) Compile(ctx context.Context, c Config) (*Model, error) {
	return t.net.Compile(ctx, t, c)
}

// Compile finishes the network: it opens a session and initializes the variables. With a
// loss, it also adds the network for training, the gradients and the updates. It fails
// with the first error of the construction. The model must be closed.
func (n *Network) Compile(ctx context.Context, output *Tensor, c Config) (*Model, error) {
	if n.Err() == nil && (output == nil || output.net != n) {
		n.fail("Compile", status.Invalid("the output is not a tensor of this network"))
	}
	if n.Err() != nil {
		return nil, n.Err()
	}
	m := &Model{net: n, output: output.out, metrics: c.Metrics, calls: map[string]*callable{}}
	if m.output.Op.Type() == "Placeholder" { // a session does not fetch what it is fed
		m.output = op.Identity(n.model.Scope().SubScope("output"), m.output)
	}
	if c.Loss != nil {
		m.addTraining(output, c)
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

func (m *Model) addTraining(output *Tensor, c Config) {
	n := m.net
	s := n.model.Scope().SubScope("loss").WithUniqueNames()
	dt, shape := c.Loss.Labels(m.output)
	m.labels = op.Placeholder(s.SubScope("labels"), dt, op.PlaceholderShape(shape))
	m.weights = op.PlaceholderWithDefault(s.SubScope("weights"), op.Const(s, []float32{1}), tf.MakeShape(-1))
	m.inference = m.measure(s.SubScope("inference").WithUniqueNames(), c.Loss, masked{m.output, output.mask})
	trained, also := n.training(output)
	if n.Err() != nil {
		return
	}
	m.training = m.measure(s.SubScope("training").WithUniqueNames(), c.Loss, trained)
	loss := op.Mean(s, op.Reshape(s, m.training.losses, integers(s, -1)), integers(s, 0))
	for _, x := range also.losses {
		loss = op.AddV2(s, loss, x)
	}
	if c.Optimizer == nil {
		c.Optimizer = train.Adam{Rate: train.Fixed(0.001)}
	}
	c.Options.Also = append(slices.Clone(c.Options.Also), also.also...)
	m.goal = n.model.Minimize(loss, c.Optimizer, c.Options)
}

// measure adds losses and metrics of an output.
func (m *Model) measure(s *op.Scope, l Loss, output masked) measures {
	var x measures
	losses := l.Losses(s, m.labels, output.out)
	if s.Err() != nil {
		return x
	}
	weights := m.weights
	if rank := losses.Shape().NumDimensions(); rank != 1 {
		shape := slices.Repeat([]int32{1}, max(rank, 1))
		shape[0] = -1
		weights = op.Reshape(s, weights, integers(s, shape...))
	}
	x.losses = op.Mul(s, losses, weights)
	labels, answers := m.labels, output.out
	if mask := output.mask; mask.Op != nil && mask.Shape().NumDimensions() == losses.Shape().NumDimensions() {
		// The mean of all elements is that of those that count.
		counts := op.Cast(s, mask, tf.Float)
		x.losses = op.DivNoNan(s, op.Mul(s, x.losses, counts), op.Mean(s, counts, integers(s, 0, 1)))
		labels, answers = counting(s, mask, labels), counting(s, mask, answers)
	}
	for _, metric := range m.metrics {
		values := metric.Values(s.SubScope(metric.Label()).WithUniqueNames(), labels, answers)
		x.metrics = append(x.metrics, values...)
		x.counts = append(x.counts, len(values))
	}
	return x
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
		y := b.Y
		if y != nil && m.labels.Shape().NumDimensions() == len(y.Dims())+1 { // one label without its dimension of 1
			y, _ = y.WithShape(append(slices.Clone(y.Dims()), 1))
		}
		if err := add(m.labels, y); err != nil {
			return nil, nil, err
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

// Predict computes the output for inputs, whose first dimension counts examples.
func (m *Model) Predict(ctx context.Context, x ...*tf.Tensor) (*tf.Tensor, error) {
	feeds, list, err := m.feeds(Batch{X: x}, false)
	if err != nil {
		return nil, err
	}
	in := map[tf.Output]*tf.Tensor{}
	for i, o := range feeds {
		in[o] = list[i]
	}
	out, err := m.session.RunContext(ctx, in, []tf.Output{m.output}, nil)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Evaluate computes "loss" and the metrics, by their names, over batches in inference.
// Losses that layers add, as regularizers do, are not part of it.
func (m *Model) Evaluate(ctx context.Context, batches iter.Seq[Batch]) (map[string]float64, error) {
	if m.goal == nil {
		return nil, status.Errorf(status.FailedPrecondition, "the model was compiled without a loss")
	}
	accounts := m.accounts()
	var loss mean
	fetches := append([]tf.Output{m.inference.losses}, m.inference.metrics...)
	for b := range batches {
		feeds, list, err := m.feeds(b, true)
		if err != nil {
			return nil, err
		}
		out, err := m.call(ctx, "evaluate", feeds, list, fetches)
		if err != nil {
			return nil, err
		}
		if err := loss.Add(out); err != nil {
			return nil, err
		}
		if err := add(accounts, m.inference.counts, out[1:]); err != nil {
			return nil, err
		}
	}
	if loss.n == 0 {
		return nil, status.Invalid("there are no batches to evaluate")
	}
	return m.results("", loss.Result(), accounts), nil
}

func (m *Model) accounts() []Account {
	list := make([]Account, len(m.metrics))
	for i, metric := range m.metrics {
		list[i] = metric.New()
	}
	return list
}

func add(accounts []Account, counts []int, values []tf.Value) error {
	for i, a := range accounts {
		if err := a.Add(values[:counts[i]]); err != nil {
			return err
		}
		values = values[counts[i]:]
	}
	return nil
}

func (m *Model) results(prefix string, loss float64, accounts []Account) map[string]float64 {
	r := map[string]float64{prefix + "loss": loss}
	for i, a := range accounts {
		r[prefix+m.metrics[i].Label()] = a.Result()
	}
	return r
}

// Export writes the network for inference, with the present values of the variables, to a
// new directory as a SavedModel. Its signature "serving_default" has the names of the
// inputs, and "output".
func (m *Model) Export(ctx context.Context, dir string) error {
	signature := model.ExportSignature{Inputs: map[string]tf.Output{}, Outputs: map[string]tf.Output{"output": m.output}}
	for _, x := range m.net.inputs {
		signature.Inputs[x.out.Op.Name()] = x.out
	}
	return m.trainer.Export(ctx, dir, map[string]model.ExportSignature{"serving_default": signature})
}
