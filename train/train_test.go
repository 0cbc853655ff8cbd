package train_test

import (
	"iter"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/ops/io/bundle"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/train"

	_ "github.com/troupe-go/troupe/ops/all"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start opens a session for the model and starts it.
func start(t *testing.T, m *train.Model) *train.Trainer {
	t.Helper()
	session, err := tf.NewSession(m.Graph(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	tr, err := m.Start(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func tensorOf(t *testing.T, value any) *tf.Tensor {
	t.Helper()
	x, err := tf.NewTensor(value)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// matrix returns a tensor of shape [n/2, 2].
func matrix(t *testing.T, elements []float32) *tf.Tensor {
	t.Helper()
	x, err := tf.FromSlice(elements, int64(len(elements)/2), 2)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// read returns what a variable of float holds.
func read(t *testing.T, tr *train.Trainer, v *train.Variable) []float32 {
	t.Helper()
	out, err := tr.Session().Run(nil, []tf.Output{v.Value}, nil)
	if err != nil {
		t.Fatal(err)
	}
	elements, err := tf.Data[float32](out[0])
	if err != nil {
		t.Fatal(err)
	}
	return elements
}

// nothing is n batches that feed nothing.
func nothing(n int) iter.Seq[train.Batch] {
	return func(yield func(train.Batch) bool) {
		for range n {
			if !yield(nil) {
				return
			}
		}
	}
}

func unmarshal(t *testing.T, b []byte) *tf.Tensor {
	t.Helper()
	x, err := tensorproto.Unmarshal(b, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// assign replaces what a variable holds, by a checkpoint.
func assign(t *testing.T, tr *train.Trainer, v *train.Variable, x *tf.Tensor) {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "one")
	w, err := bundle.Create(nil, prefix)
	if err == nil {
		err = w.Add(v.Name, tensor.ValueOf(x))
	}
	if err == nil {
		err = w.Finish()
	}
	if err == nil {
		err = tr.Restore(t.Context(), prefix, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}
