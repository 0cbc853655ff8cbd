package op_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/all"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// consts adds constants.
func consts(s *op.Scope, values ...any) []tf.Output {
	s = s.SubScope("const").WithUniqueNames()
	outputs := make([]tf.Output, len(values))
	for i, v := range values {
		outputs[i] = op.Const(s, v)
	}
	return outputs
}

// session finalizes the scope and makes a session of its graph.
func session(t *testing.T, s *op.Scope) *tf.Session {
	t.Helper()
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	sess, err := tf.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sess.Close(); err != nil {
			t.Error(err)
		}
	})
	return sess
}

// run returns the values of outputs, computed without feeds.
func run(t *testing.T, s *op.Scope, outputs []tf.Output) []any {
	t.Helper()
	fetched, err := session(t, s).Run(nil, outputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]any, len(fetched))
	for i, f := range fetched {
		values[i] = f.Value()
	}
	return values
}
