package train

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Batch is the feeds of a step: a tensor for each placeholder.
type Batch = map[tf.Output]*tf.Tensor

// A Step describes one update.
type Step struct {
	// N is the number of updates made, this one included.
	N int64
	// Loss is that of the variables before the update, the mean over batches if
	// Accumulate combines several. Metrics are the means of the outputs given to Steps.
	Loss    float64
	Metrics []float64
	// Outputs are the values of the outputs given to Steps, for the last batch of the
	// update. They are valid until the next step.
	Outputs []tf.Value
	Rate    float64 // the learning rate
}

// A Trainer runs the goals of a model in a session. It is not safe for concurrent use.
type Trainer struct {
	// Grace bounds how long an update or a replacement of variables may continue after
	// its context has ended, so that it is not interrupted halfway. 0 is 10 seconds.
	Grace time.Duration

	model   *Model
	session *tf.Session
	torn    bool // a replacement of variables was broken off
	swapped bool // variables and their averages are exchanged
	calls   map[string]*call
}

// Start finishes the construction and initializes the variables that have no value in
// the session, which must be one of the model's graph. It fails with the first error of
// the construction, and with FAILED_PRECONDITION if a goal changes a variable that has
// neither a value nor an initializer; other such variables are dropped from the model.
//
// The session is one of the root package or of package session. It still belongs to the
// caller, who may run parts of the graph in it between steps, and closes it. After nodes
// have been added to the model, Start makes another trainer.
func (m *Model) Start(ctx context.Context, sess interface{ Base() *tf.Session }) (*Trainer, error) {
	session := sess.Base()
	for _, v := range m.vars {
		v.arrange(m.scope)
	}
	if err := m.Err(); err != nil {
		return nil, err
	}
	t := &Trainer{model: m, session: session, calls: map[string]*call{}}
	ready, err := t.fetch(ctx, outputs(m.vars, func(v *Variable) tf.Output { return v.ready }))
	if err != nil {
		return nil, err
	}
	var first, second []*tf.Operation
	var nothing []string
	used := m.changed()
	kept := make([]*Variable, 0, len(m.vars))
	for i, v := range m.vars {
		kept = append(kept, v)
		switch {
		case ready[i].Value() == true:
		case v.init == nil && used[v]:
			nothing = append(nothing, v.Name)
		case v.init == nil: // TensorFlow 2 leaves handles that nobody uses
			kept = kept[:len(kept)-1]
			delete(m.byName, v.Name)
		case v.of == nil:
			first = append(first, v.init)
		default: // may begin as the variable that it belongs to
			second = append(second, v.init)
		}
	}
	if nothing != nil {
		return nil, status.Errorf(status.FailedPrecondition, "these variables hold nothing in the session, and nothing in the graph initializes them: %s", strings.Join(nothing, ", "))
	}
	m.vars = kept
	for _, ops := range [...][]*tf.Operation{first, second} {
		if len(ops) == 0 {
			continue
		}
		if _, err := session.RunContext(ctx, nil, nil, ops); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// changed returns the variables that goals change.
func (m *Model) changed() map[*Variable]bool {
	all := map[*Variable]bool{}
	for _, g := range m.goals {
		for _, v := range g.Variables {
			all[v] = true
		}
	}
	return all
}

// fetch computes outputs that need no feeds.
func (t *Trainer) fetch(ctx context.Context, list []tf.Output) ([]*tf.Tensor, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return t.session.RunContext(ctx, nil, list, nil)
}

// Session returns the session that the trainer runs in.
func (t *Trainer) Session() *tf.Session { return t.session }

// Updates returns the number of updates made for the goal, in this session or before the
// checkpoint from which it resumed. It fails with FAILED_PRECONDITION after an
// interrupted update.
func (t *Trainer) Updates(ctx context.Context, g *Goal) (int64, error) {
	if g == nil || g.model != t.model || g.update == nil {
		return 0, status.Invalid("the goal is not one of the trainer's model")
	}
	out, err := t.fetch(ctx, []tf.Output{g.Counter.Value, g.begun.Value})
	if err != nil {
		return 0, err
	}
	n := out[0].Value().(int64)
	return n, t.whole(n == out[1].Value())
}

// whole fails if variables are of different updates.
func (t *Trainer) whole(complete bool) error {
	if t.torn || !complete {
		return status.Errorf(status.FailedPrecondition, "an update or a replacement of variables was broken off: some variables have changed and others have not; restore a checkpoint")
	}
	return nil
}

// Steps makes an update for each batch, or for each [Options.Accumulate] batches, and
// yields a Step for each. It ends with the batches, when the loop breaks, or with an
// error, which is yielded with the zero Step. When ctx ends, the update in progress is
// completed first (see [Trainer.Grace]), so that the trainer can be saved; the error is
// then CANCELLED or DEADLINE_EXCEEDED.
//
// All batches feed the same placeholders. A batch iterator that can block must observe
// ctx itself. Metrics are numeric or bool outputs, computed before the update; a Step
// has the mean over the elements of each.
func (t *Trainer) Steps(ctx context.Context, g *Goal, batches iter.Seq[Batch], metrics ...tf.Output) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		if err := t.steps(ctx, g, batches, metrics, func(s Step) bool { return yield(s, nil) }); err != nil {
			yield(Step{}, err)
		}
	}
}

func (t *Trainer) steps(ctx context.Context, g *Goal, batches iter.Seq[Batch], metrics []tf.Output, yield func(Step) bool) error {
	if err := t.inPlace(); err != nil {
		return err
	}
	n, err := t.Updates(ctx, g)
	if err != nil {
		return err
	}
	running, stop := t.graceful(ctx)
	defer stop()
	fetches := append([]tf.Output{g.Loss}, metrics...)
	sums := make([]float64, len(fetches))
	rate := math.NaN()
	at := 0 // batches of the update so far
	for batch := range batches {
		if ctx.Err() != nil {
			return status.FromContext(ctx)
		}
		target, kind := g.update, "update"
		switch {
		case at == g.accumulate-1:
		case at == 0:
			target, kind = g.first, "first"
		default:
			target, kind = g.add, "add"
		}
		if at == 0 {
			rate = g.schedule(n)
		}
		c, err := t.call(running, g.prefix+kind, batch, &g.rate, fetches, target)
		if err != nil {
			return err
		}
		if err := c.run(running, batch, rate); err != nil {
			return err
		}
		for i := range c.out {
			x, k, err := sum(&c.out[i])
			if err != nil {
				return status.Errorf(status.InvalidArgument, "%v: %v", fetches[i], err)
			}
			if at == 0 {
				sums[i] = 0
			}
			sums[i] += x / float64(k)
		}
		if at++; at < g.accumulate {
			continue
		}
		at, n = 0, n+1
		for i := range sums {
			sums[i] /= float64(g.accumulate)
		}
		if !yield(Step{N: n, Loss: sums[0], Rate: rate, Metrics: slices.Clone(sums[1:]), Outputs: c.out[1:]}) {
			return nil
		}
	}
	if ctx.Err() != nil {
		return status.FromContext(ctx)
	}
	return nil
}

// graceful returns a context that ends some time after ctx.
func (t *Trainer) graceful(ctx context.Context) (running context.Context, stop func()) {
	grace := t.Grace
	if grace == 0 {
		grace = 10 * time.Second
	}
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(context.Cause(ctx))
		case <-ended:
		}
	})
	return running, func() {
		forget()
		close(ended)
		cancel(nil)
	}
}

// Evaluate computes outputs over all batches, without updates, and returns for each the
// mean over all elements of all batches: for outputs with one element per example, the
// mean over examples, however they are batched.
func (t *Trainer) Evaluate(ctx context.Context, batches iter.Seq[Batch], of ...tf.Output) ([]float64, error) {
	sums, counts := make([]float64, len(of)), make([]int, len(of))
	for batch := range batches {
		c, err := t.call(ctx, "evaluate", batch, nil, of, nil)
		if err != nil {
			return nil, err
		}
		if err := c.run(ctx, batch, 0); err != nil {
			return nil, err
		}
		for i := range c.out {
			x, k, err := sum(&c.out[i])
			if err != nil {
				return nil, status.Errorf(status.InvalidArgument, "%v: %v", of[i], err)
			}
			sums[i] += x
			counts[i] += k
		}
	}
	for i := range sums {
		sums[i] /= float64(counts[i])
	}
	return sums, nil
}

// SwapAverages exchanges variables and their moving averages, for an evaluation or an
// export; a second call restores them. Variables without an average are unchanged. In
// between, [Trainer.Save] writes each value under its own name, and updates and restoring
// single variables fail with FAILED_PRECONDITION. If ctx ends during the exchange, the
// exchange is completed (see [Trainer.Grace]) without an error: after an error nothing
// was exchanged, unless the next call of the trainer reports an interrupted replacement.
func (t *Trainer) SwapAverages(ctx context.Context) error {
	var from, to []*Variable
	for _, v := range t.model.vars {
		if v.average != nil {
			from, to = append(from, v.average, v), append(to, v, v.average)
		}
	}
	values, err := t.fetch(ctx, outputs(from, valueOf))
	if err != nil {
		return err
	}
	if err := t.assign(ctx, to, values); err != nil {
		return err
	}
	t.swapped = !t.swapped
	return nil
}

// Assign sets variables to values of their types and shapes: all of them or, if it fails
// before it begins, none. Once variables change, it may continue for [Trainer.Grace] after
// its context has ended.
func (t *Trainer) Assign(ctx context.Context, values map[*Variable]*tf.Tensor) error {
	if err := t.inPlace(); err != nil {
		return err
	}
	var vars []*Variable
	var list []*tf.Tensor
	for _, v := range t.model.vars {
		x, ok := values[v]
		if !ok {
			continue
		}
		if x == nil || x.DType() != v.DType || !slices.Equal(x.Dims(), v.Shape) {
			return status.Invalid("variable %s of type %v and shape %v is assigned %v", v.Name, v.DType, tf.MakeShape(v.Shape...), described(x))
		}
		vars, list = append(vars, v), append(list, x)
	}
	if len(vars) != len(values) {
		return status.Invalid("a variable to assign is not the model's")
	}
	return t.assign(ctx, vars, list)
}

func described(x *tf.Tensor) string {
	if x == nil {
		return "no tensor"
	}
	return fmt.Sprintf("a tensor of type %v and shape %v", x.DType(), tf.MakeShape(x.Dims()...))
}

// inPlace fails between two calls of SwapAverages.
func (t *Trainer) inPlace() error {
	if t.swapped {
		return status.Errorf(status.FailedPrecondition, "variables and their moving averages are exchanged: call SwapAverages again first")
	}
	return nil
}

// assign returns variables values, all of them or, if it fails before it begins, none.
// If it is broken off, the trainer is torn.
func (t *Trainer) assign(ctx context.Context, vars []*Variable, values []*tf.Tensor) error {
	var feeds []tf.Output
	var targets []*tf.Operation
	in := make([]tensor.Value, len(vars))
	for i, v := range vars {
		if v.assign == nil {
			return status.Errorf(status.FailedPrecondition, "variable %s was added after the trainer had been started; start another one", v.Name)
		}
		feeds, targets = append(feeds, v.feed), append(targets, v.assign)
		in[i] = tensor.ValueOf(values[i])
	}
	if len(targets) == 0 {
		return nil
	}
	run, err := t.session.MakeCallableContext(ctx, feeds, nil, targets)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return status.FromContext(ctx)
	}
	running, stop := t.graceful(ctx)
	defer stop()
	if err := run.CallValues(running, nil, in); err != nil {
		t.torn = true
		return err
	}
	return nil
}

// A call is a prepared run.
type call struct {
	feeds   []tf.Output // what a batch has, then perhaps the rate
	batch   int         // how many are the batch's
	fetches []tf.Output
	target  *tf.Operation
	prepare *tf.Callable
	in, out []tensor.Value
}

// call returns the prepared run of a kind for batches like the one given.
func (t *Trainer) call(ctx context.Context, kind string, batch Batch, rate *tf.Output, fetches []tf.Output, target *tf.Operation) (*call, error) {
	if c := t.calls[kind]; c != nil && c.takes(batch) && slices.Equal(c.fetches, fetches) && c.target == target {
		return c, nil
	}
	c := &call{fetches: slices.Clone(fetches), target: target, batch: len(batch), out: make([]tensor.Value, len(fetches))}
	for o := range maps.Keys(batch) {
		if o.Op == nil {
			return nil, status.Invalid("a batch feeds an output of no node")
		}
		c.feeds = append(c.feeds, o)
	}
	sorted.By(c.feeds, func(a, b tf.Output) int {
		return cmp.Or(cmp.Compare(a.Op.ID(), b.Op.ID()), cmp.Compare(a.Index, b.Index))
	})
	if rate != nil {
		c.feeds = append(c.feeds, *rate)
	}
	var targets []*tf.Operation
	if target != nil {
		targets = append(targets, target)
	}
	var err error
	if c.prepare, err = t.session.MakeCallableContext(ctx, c.feeds, fetches, targets); err != nil {
		return nil, err
	}
	c.in = make([]tensor.Value, len(c.feeds))
	t.calls[kind] = c
	return c, nil
}

// takes reports whether the batch feeds what the call is prepared for.
func (c *call) takes(batch Batch) bool {
	if len(batch) != c.batch {
		return false
	}
	for _, o := range c.feeds[:c.batch] {
		if batch[o] == nil {
			return false
		}
	}
	return true
}

// run runs the call; results are in out until the next one.
func (c *call) run(ctx context.Context, batch Batch, rate float64) error {
	for i, o := range c.feeds[:c.batch] {
		if batch[o] == nil {
			return status.Invalid("a batch has no tensor for %v", o)
		}
		c.in[i] = tensor.ValueOf(batch[o])
	}
	if len(c.in) > c.batch {
		c.in[c.batch] = tensor.Scalar(rate)
	}
	return c.prepare.CallValues(ctx, c.out, c.in)
}

// sum returns the sum of the elements and their number.
func sum(v *tensor.Value) (total float64, n int, err error) {
	switch v.DType() {
	case tf.Float:
		total = add(tensor.Of[float32](v))
	case tf.Double:
		total = add(tensor.Of[float64](v))
	case tf.Int32:
		total = add(tensor.Of[int32](v))
	case tf.Int64:
		total = add(tensor.Of[int64](v))
	case tf.Bool:
		for _, x := range tensor.Of[bool](v) {
			if x {
				total++
			}
		}
	default:
		return 0, 0, fmt.Errorf("the mean of a tensor of type %v is not computed", v.DType())
	}
	return total, v.NumElements(), nil
}

func add[T float32 | float64 | int32 | int64](list []T) (sum float64) {
	for _, x := range list {
		sum += float64(x)
	}
	return sum
}
