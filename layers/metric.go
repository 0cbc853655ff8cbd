package layers

import (
	"fmt"
	"math"
	"sort"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Metric is a number computed over the batches of an epoch.
type Metric interface {
	// Label is the name of the metric in an [Epoch].
	Label() string
	// Values adds what is computed for a batch.
	Values(s *op.Scope, labels, output tf.Output) []tf.Output
	// New is an empty account of batches.
	New() Account
}

// An Account sums up the values of a metric.
type Account interface {
	// Add adds the values of a batch, which are valid during the call.
	Add(values []tf.Value) error
	// Result is the metric over all batches so far.
	Result() float64
}

// Accuracy is the share of examples whose most probable class is the label; for outputs of
// one yes-or-no element, the share of those on the right side of Threshold.
type Accuracy struct {
	Threshold float64 // 0.5; for logits, use a negative number for 0
}

// Label is "accuracy".
func (Accuracy) Label() string { return "accuracy" }

// New is an empty account.
func (Accuracy) New() Account { return &mean{} }

// Values adds whether examples are right.
func (m Accuracy) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	if s.Err() != nil {
		return nil
	}
	switch {
	case labels.DataType() == tf.Int64:
		return []tf.Output{op.Equal(s, op.ArgMax(s, output, op.Const(s, int32(-1))), labels)}
	case dim(output, -1) == 1:
		limit := number(s, max(or(m.Threshold, 0.5), 0))
		return []tf.Output{op.Equal(s, op.Greater(s, output, limit), op.Greater(s, labels, number(s, 0.5)))}
	}
	last := op.Const(s, int32(-1))
	return []tf.Output{op.Equal(s, op.ArgMax(s, output, last), op.ArgMax(s, labels, last))}
}

// TopK is the share of examples whose class is among the K most probable ones. Labels are
// numbers of classes or distributions.
type TopK struct {
	K int32 // 5
}

// Label is "top_5" for K of 5.
func (m TopK) Label() string { return fmt.Sprintf("top_%d", or(m.K, 5)) }

// New is an empty account.
func (TopK) New() Account { return &mean{} }

// Values adds whether examples are right.
func (m TopK) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	if s.Err() != nil {
		return nil
	}
	if labels.DataType() != tf.Int64 {
		labels = op.ArgMax(s, labels, op.Const(s, int32(-1)))
	}
	rows := op.Reshape(s, output, integers(s, -1, int32(dim(output, -1))))
	return []tf.Output{op.InTopKV2(s, rows, op.Reshape(s, labels, integers(s, -1)), op.Const(s, int64(or(m.K, 5))))}
}

// Mean is the mean of what Of computes.
type Mean struct {
	Name string
	Of   func(s *op.Scope, labels, output tf.Output) tf.Output
}

// Label is the name.
func (m Mean) Label() string { return m.Name }

// New is an empty account.
func (Mean) New() Account { return &mean{} }

// Values adds what is averaged.
func (m Mean) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	return []tf.Output{m.Of(s, labels, output)}
}

// LossMetric is a loss as a metric.
func LossMetric(name string, l Loss) Metric { return Mean{name, l.Losses} }

// RootMeanSquaredError is the root of the mean of squared differences.
type RootMeanSquaredError struct{}

// Label is "root_mean_squared_error".
func (RootMeanSquaredError) Label() string { return "root_mean_squared_error" }

// New is an empty account.
func (RootMeanSquaredError) New() Account { return &rootMean{} }

// Values adds the squared differences.
func (RootMeanSquaredError) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	return []tf.Output{op.SquaredDifference(s, output, labels)}
}

type rootMean struct{ mean }

func (a *rootMean) Result() float64 { return math.Sqrt(a.mean.Result()) }

// mean is the mean of all elements of all batches.
type mean struct {
	sum float64
	n   int
}

func (a *mean) Add(values []tf.Value) error {
	x, err := floats(&values[0])
	for _, x := range x {
		a.sum += x
	}
	a.n += len(x)
	return err
}

func (a *mean) Result() float64 { return a.sum / float64(a.n) }

// floats are the elements of a value.
func floats(v *tf.Value) ([]float64, error) {
	switch v.DType() {
	case tf.Float:
		return converted[float64](tensor.Of[float32](v)), nil
	case tf.Double:
		return tensor.Of[float64](v), nil
	case tf.Int32:
		return converted[float64](tensor.Of[int32](v)), nil
	case tf.Int64:
		return converted[float64](tensor.Of[int64](v)), nil
	case tf.Bool:
		list := make([]float64, v.NumElements())
		for i, x := range tensor.Of[bool](v) {
			if x {
				list[i] = 1
			}
		}
		return list, nil
	}
	return nil, status.Invalid("a metric computes a tensor of type %v, but only float, double, int32, int64 and bool are averaged", v.DType())
}

func converted[T, F float32 | float64 | int32 | int64 | uint8](list []F) []T {
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = T(x)
	}
	return out
}

// AUC is the area under the receiver operating characteristic of yes-or-no labels, by the
// trapezoidal rule over Thresholds equidistant thresholds, as Keras computes it. The output
// has probabilities, or logits if FromLogits.
type AUC struct {
	Thresholds int // 200
	FromLogits bool
}

// Label is "auc".
func (AUC) Label() string { return "auc" }

// Values adds labels and probabilities.
func (m AUC) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	if m.FromLogits {
		output = op.Sigmoid(s, output)
	}
	return []tf.Output{op.Identity(s, labels), output} // a session does not fetch what it is fed
}

// New is an empty account.
func (m AUC) New() Account {
	n := max(or(m.Thresholds, 200), 3)
	a := &auc{thresholds: make([]float64, n), yes: make([]float64, n+1), no: make([]float64, n+1)}
	a.thresholds[0], a.thresholds[n-1] = -epsilon, 1+epsilon
	for i := 1; i < n-1; i++ {
		a.thresholds[i] = float64(float32(float64(i) / float64(n-1)))
	}
	return a
}

// An auc counts labels by the number of thresholds that are below the output.
type auc struct{ thresholds, yes, no []float64 }

func (a *auc) Add(values []tf.Value) error {
	labels, err := floats(&values[0])
	if err != nil {
		return err
	}
	outputs, err := floats(&values[1])
	if err != nil {
		return err
	}
	if len(labels) != len(outputs) {
		return status.Invalid("AUC: there are %d labels for %d outputs", len(labels), len(outputs))
	}
	for i, x := range outputs {
		at := sort.SearchFloat64s(a.thresholds, x)
		if labels[i] > 0.5 {
			a.yes[at]++
		} else {
			a.no[at]++
		}
	}
	return nil
}

func (a *auc) Result() float64 {
	// Above threshold i are those with more than i thresholds below.
	n := len(a.thresholds)
	rate := func(counts []float64) []float64 {
		r := make([]float64, n)
		above := 0.0
		for i := n - 1; i >= 0; i-- {
			above += counts[i+1]
			r[i] = above
		}
		all := above + counts[0]
		for i := range r {
			if all > 0 {
				r[i] /= all
			}
		}
		return r
	}
	tpr, fpr := rate(a.yes), rate(a.no)
	area := 0.0
	for i := range n - 1 {
		area += (fpr[i] - fpr[i+1]) * (tpr[i] + tpr[i+1]) / 2
	}
	return area
}
