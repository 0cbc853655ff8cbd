package layers

import (
	"slices"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// measures are what is computed of a network's outputs and labels.
type measures struct {
	losses  []tf.Output // of the examples, weighted, for each part of the model
	metrics []tf.Output // of all metrics one after another
	counts  []int       // of the values of each metric
}

// fetched is what accounts add up.
func (x *measures) fetched(losses bool) []tf.Output {
	if !losses {
		return x.metrics
	}
	return slices.Concat(x.losses, x.metrics)
}

// measure adds losses and metrics of the outputs of the parts.
func (m *Model) measure(s *op.Scope, outputs []masked) measures {
	var x measures
	for i, p := range m.parts {
		losses, labels, answers := m.losses(s, p, outputs[i])
		x.losses = append(x.losses, losses)
		for _, metric := range p.Metrics {
			values := metric.Values(s.SubScope(metric.Label()).WithUniqueNames(), labels, answers)
			x.metrics = append(x.metrics, values...)
			x.counts = append(x.counts, len(values))
		}
	}
	return x
}

// losses are those of the examples of a part, weighted, and the labels and answers that
// metrics compare.
func (m *Model) losses(s *op.Scope, p *part, output masked) (losses, labels, answers tf.Output) {
	losses = p.Loss.Losses(s, p.labels, output.out)
	if s.Err() != nil {
		return losses, p.labels, output.out
	}
	rank := losses.Shape().NumDimensions()
	weights := m.weights
	if rank != 1 {
		shape := slices.Repeat([]int32{1}, max(rank, 1))
		shape[0] = -1
		weights = op.Reshape(s, weights, integers(s, shape...))
	}
	losses = op.Mul(s, losses, weights)
	mask := output.mask
	if mask.Op == nil || mask.Shape().NumDimensions() != rank {
		return losses, p.labels, output.out
	}
	// The mean of all elements is that of those that count.
	counts := op.Cast(s, mask, tf.Float)
	losses = op.DivNoNan(s, op.Mul(s, losses, counts), op.Mean(s, counts, integers(s, 0, 1)))
	return losses, counting(s, mask, p.labels), counting(s, mask, output.out)
}

// accounts add up the losses and metrics of a model.
type accounts struct {
	parts   []*part
	losses  []*mean // nil if losses are not added up
	metrics []Account
	names   []string
	counts  []int
}

func (m *Model) accounts(losses bool) *accounts {
	a := &accounts{parts: m.parts, counts: m.inference.counts}
	for _, p := range m.parts {
		if losses {
			a.losses = append(a.losses, &mean{})
		}
		for _, metric := range p.Metrics {
			a.metrics = append(a.metrics, metric.New())
			a.names = append(a.names, p.prefix+metric.Label())
		}
	}
	return a
}

// add adds what was fetched of a batch.
func (a *accounts) add(values []tf.Value) error {
	for _, l := range a.losses {
		if err := l.Add(values[:1]); err != nil {
			return err
		}
		values = values[1:]
	}
	for i, metric := range a.metrics {
		if err := metric.Add(values[:a.counts[i]]); err != nil {
			return err
		}
		values = values[a.counts[i]:]
	}
	return nil
}

// results are the losses, that of all parts as "loss", and the metrics by their names.
func (a *accounts) results() map[string]float64 {
	r := map[string]float64{}
	for i, l := range a.losses {
		p := a.parts[i]
		r["loss"] += p.Weight * l.Result()
		if len(a.parts) > 1 {
			r[p.prefix+"loss"] = l.Result()
		}
	}
	for i, metric := range a.metrics {
		r[a.names[i]] = metric.Result()
	}
	return r
}
