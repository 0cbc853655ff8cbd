package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Precision is the share of labels of 1 among the elements of the output above Threshold.
// Numbers of classes count as 1 for the class and 0 for all others.
type Precision struct {
	Threshold float64 // 0.5; for logits, use a negative number for 0
}

// Label is "precision".
func (Precision) Label() string { return "precision" }

// New is an empty account.
func (Precision) New() Account {
	return &counts{result: func(hit, wrong, missed []float64) float64 { return share(hit[0], wrong[0]) }}
}

// Values adds the counts of a batch.
func (m Precision) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	return counted(s, labels, above(s, output, m.Threshold), true)
}

// Recall is the share of elements of the output above Threshold among those with a label of
// 1. Numbers of classes count as 1 for the class and 0 for all others.
type Recall struct {
	Threshold float64 // 0.5; for logits, use a negative number for 0
}

// Label is "recall".
func (Recall) Label() string { return "recall" }

// New is an empty account.
func (Recall) New() Account {
	return &counts{result: func(hit, wrong, missed []float64) float64 { return share(hit[0], missed[0]) }}
}

// Values adds the counts of a batch.
func (m Recall) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	return counted(s, labels, above(s, output, m.Threshold), true)
}

// F1Score is the harmonic mean of precision and recall of each class, and the mean of the
// classes, Keras's average "macro". The most probable class is the answer or, with a
// Threshold, all above it are.
type F1Score struct {
	Threshold float64
	Micro     bool // of all classes taken together
}

// Label is "f1_score".
func (F1Score) Label() string { return "f1_score" }

// New is an empty account.
func (F1Score) New() Account {
	return &counts{result: func(hit, wrong, missed []float64) float64 {
		sum := 0.0
		for i := range hit {
			sum += share(2*hit[i], wrong[i]+missed[i])
		}
		return sum / float64(len(hit))
	}}
}

// Values adds the counts of a batch.
func (m F1Score) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	answer := op.Cast(s, op.Greater(s, output, number(s, m.Threshold)), tf.Float)
	if m.Threshold == 0 {
		answer = most(s, output)
	}
	return counted(s, labels, answer, m.Micro)
}

// MeanIoU is, for each class, the number of elements that have it in both the labels and
// the answer, divided by that of those that have it in either, and the mean of the classes
// that occur. The most probable class is the answer: the output of a segmentation has the
// classes in its last dimension.
type MeanIoU struct{}

// Label is "mean_io_u".
func (MeanIoU) Label() string { return "mean_io_u" }

// New is an empty account.
func (MeanIoU) New() Account {
	return &counts{result: func(hit, wrong, missed []float64) float64 {
		sum, n := 0.0, 0.0
		for i := range hit {
			if hit[i]+wrong[i]+missed[i] > 0 {
				sum += share(hit[i], wrong[i]+missed[i])
				n++
			}
		}
		return share(sum, n-sum)
	}}
}

// Values adds the counts of a batch.
func (MeanIoU) Values(s *op.Scope, labels, output tf.Output) []tf.Output {
	return counted(s, labels, most(s, output), false)
}

// above is 1 for elements of the output above the threshold, and 0 for others.
func above(s *op.Scope, output tf.Output, threshold float64) tf.Output {
	limit := number(s, max(or(threshold, 0.5), 0))
	return op.Cast(s, op.Greater(s, output, limit), tf.Float)
}

// most is 1 for the most probable class in the last dimension, and 0 for others.
func most(s *op.Scope, output tf.Output) tf.Output {
	return oneHot(s, op.ArgMax(s, output, op.Const(s, int32(-1))), dim(output, -1))
}

func oneHot(s *op.Scope, classes tf.Output, n int64) tf.Output {
	return op.OneHot(s, classes, op.Const(s, int32(n)), number(s, 1), number(s, 0))
}

// counted is, for each class in the last dimension or for all together, how often answer
// and label are 1, only the answer is, and only the label is.
func counted(s *op.Scope, labels, answer tf.Output, together bool) []tf.Output {
	if s.Err() != nil {
		return nil
	}
	if labels.DataType() == tf.Int64 {
		labels = oneHot(s, labels, dim(answer, -1))
	} else {
		labels = op.Cast(s, op.Greater(s, labels, number(s, 0.5)), tf.Float)
	}
	width := int32(dim(answer, -1))
	if together {
		width = 1
	}
	one := number(s, 1)
	count := func(a, b tf.Output) tf.Output {
		rows := op.Reshape(s, op.Mul(s, a, b), integers(s, -1, width))
		return op.Sum(s, op.Cast(s, rows, tf.Double), integers(s, 0))
	}
	return []tf.Output{count(answer, labels), count(answer, op.Sub(s, one, labels)), count(op.Sub(s, one, answer), labels)}
}

// A counts adds up what counted counts.
type counts struct {
	sums   [3][]float64 // hit, wrong, missed
	result func(hit, wrong, missed []float64) float64
}

func (a *counts) Add(values []tf.Value) error {
	for i := range a.sums {
		list, err := floats(&values[i])
		if err != nil {
			return err
		}
		if a.sums[i] == nil {
			a.sums[i] = make([]float64, len(list))
		}
		for j, x := range list {
			a.sums[i][j] += x
		}
	}
	return nil
}

func (a *counts) Result() float64 {
	if len(a.sums[0]) == 0 {
		return 0
	}
	return a.result(a.sums[0], a.sums[1], a.sums[2])
}

// share is a/(a+b), and 0 of nothing.
func share(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / (a + b)
}
