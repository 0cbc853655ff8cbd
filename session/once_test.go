package session_test

import (
	"context"
	"testing"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/status"
)

// TestRunOnce: the program of a run with Once is released when the run has ended, also if it
// fails, and one that the session has stays.
func TestRunOnce(t *testing.T) {
	g := tf.NewGraph()
	x, err := g.AddOperation(tf.OpSpec{Type: "Placeholder", Name: "x", Attrs: map[string]any{"dtype": tf.Float}})
	if err != nil {
		t.Fatal(err)
	}
	y, err := g.AddOperation(tf.OpSpec{Type: "Neg", Name: "y", Input: []tf.Input{x.Output(0)}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := tf.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fetches := []tf.Output{y.Output(0)}
	run := func(once bool, feed any) error {
		v, err := tf.NewTensor(feed)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.RunWithOptions(context.Background(), tf.RunOptions{Once: once}, map[tf.Output]*tf.Tensor{x.Output(0): v}, fetches, nil)
		if err == nil && out[0].Value() != any(-feed.(float32)) {
			t.Errorf("-%v is %v", feed, out[0].Value())
		}
		return err
	}
	for range 2 {
		if err := run(true, float32(1)); err != nil {
			t.Fatal(err)
		}
		if n := s.ProgramMemory(); n != 0 {
			t.Errorf("%d bytes of programs are left", n)
		}
		if err := run(true, int32(1)); status.CodeOf(err) != status.InvalidArgument {
			t.Fatalf("another type: %v", err)
		}
		if n := s.ProgramMemory(); n != 0 {
			t.Errorf("%d bytes of programs are left", n)
		}
	}
	if err := run(false, float32(2)); err != nil {
		t.Fatal(err)
	}
	kept := s.ProgramMemory()
	if err := run(true, float32(3)); err != nil || kept == 0 || s.ProgramMemory() != kept {
		t.Errorf("%d bytes of programs, and after a run that uses them %d; %v", kept, s.ProgramMemory(), err)
	}
}
