package layers

import (
	"context"
	"math"
	"strings"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// monitored is a value of an epoch that is better the greater it is: names with "loss" or
// "error" in them are negated.
func monitored(e *Epoch, name string) (float64, error) {
	x, ok := e.Values[name]
	if !ok {
		return 0, status.Errorf(status.NotFound, "an epoch has no value %q to monitor: %v", name, e)
	}
	if strings.Contains(name, "loss") || strings.Contains(name, "error") {
		x = -x
	}
	return x, nil
}

// A best is the best value so far, and the epochs since.
type best struct {
	known bool
	value float64
	since int
}

// better records a value and says whether it is the best one by more than min.
func (b *best) better(x, min float64) bool {
	if !b.known && !math.IsNaN(x) || x > b.value+min {
		b.known, b.value, b.since = true, x, 0
		return true
	}
	b.since++
	return false
}

// EarlyStopping is a [Callback] that ends the training when a value has not become better
// for some epochs. It begins again with each training that has no epochs before it
// ([FitOptions].Completed).
type EarlyStopping struct {
	Monitor     string  // "val_loss"
	Patience    int     // epochs without a better value: 1 if it is 0
	MinDelta    float64 // by which a value must be better
	RestoreBest bool    // sets the layers' variables to those of the best epoch after the last one

	best    best
	weights map[string]*tf.Tensor
	stopped bool // as the checkpoint has it that it was resumed from
}

// Epoch compares an epoch with the best one.
func (c *EarlyStopping) Epoch(ctx context.Context, e *Epoch) error {
	c.stopped = false
	if e.N == 1 {
		c.best, c.weights = best{}, nil
	}
	x, err := monitored(e, or(c.Monitor, "val_loss"))
	if err != nil {
		return err
	}
	switch {
	case c.best.better(x, c.MinDelta):
		if c.RestoreBest {
			c.weights, err = e.Model().Weights(ctx)
		}
	case c.over():
		e.Stop()
	}
	return err
}

// over reports whether patience has run out.
func (c *EarlyStopping) over() bool { return c.best.since >= max(c.Patience, 1) }

// End restores the weights of the best epoch.
func (c *EarlyStopping) End(ctx context.Context, e *Epoch) (err error) {
	if c.weights != nil {
		err = e.Model().SetWeights(ctx, c.weights)
	}
	c.weights, c.stopped = nil, false
	return err
}

// ReduceOnPlateau is a [Callback] and a learning rate that is multiplied by Factor when a
// value has not become better for some epochs of a training; the next training begins with
// the rate of the last one:
//
//	p := &layers.ReduceOnPlateau{Rate: 0.01}
//	train.Adam{Rate: p.Schedule}
type ReduceOnPlateau struct {
	Rate     float64
	Factor   float64 // 0.1
	Monitor  string  // "val_loss"
	Patience int     // 10
	MinDelta float64 // by which a value must be better
	MinRate  float64

	best  best
	scale float64 // 0 is 1
}

// Schedule is the learning rate, a [train.Schedule].
func (c *ReduceOnPlateau) Schedule(int64) float64 { return max(c.Rate*or(c.scale, 1), c.MinRate) }

// Epoch compares an epoch with the best one.
func (c *ReduceOnPlateau) Epoch(_ context.Context, e *Epoch) error {
	if e.N == 1 {
		c.best = best{}
	}
	x, err := monitored(e, or(c.Monitor, "val_loss"))
	if err != nil {
		return err
	}
	if !c.best.better(x, c.MinDelta) && c.best.since >= or(c.Patience, 10) {
		c.scale, c.best.since = or(c.scale, 1)*or(c.Factor, 0.1), 0
	}
	return nil
}

// After is a function as a [Callback].
type After func(ctx context.Context, e *Epoch) error

// Epoch calls the function.
func (f After) Epoch(ctx context.Context, e *Epoch) error { return f(ctx, e) }
