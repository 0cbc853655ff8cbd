package model_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// ending is a context that ends when it has been asked a number of times.
type ending struct {
	context.Context
	left   int
	cancel context.CancelFunc
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		e.cancel()
	}
	return e.Context.Err()
}

// However early or late the context ends, loading fails with CANCELLED or is complete.
func TestLoadEndsWithItsContext(t *testing.T) {
	loaded := false
	for left := 0; !loaded; left++ {
		if left > 1000 {
			t.Fatal("the model is never loaded")
		}
		ctx, cancel := context.WithCancel(t.Context())
		m, err := model.LoadContext(&ending{ctx, left, cancel}, vocabulary, []string{"serve"}, nil)
		if loaded = err == nil; loaded {
			m.Session.Close()
		} else if status.CodeOf(err) != status.Canceled {
			t.Errorf("after %d checks: %v", left, err)
		}
		cancel()
	}
}

// An initializer that waits for ever ends with the context.
func TestInitializerEndsWithTheContext(t *testing.T) {
	s := op.NewScope()
	x := placeholder(s, "x", session.Float)
	y := op.Neg(s, x)
	types := map[string]any{"component_types": []session.DataType{session.Float}}
	queue := s.AddOperation(session.OpSpec{Type: "FIFOQueueV2", Name: "queue", Attrs: types}).Output(0)
	waits := s.AddOperation(session.OpSpec{Type: "QueueDequeueV2", Name: "take", Input: []session.Input{queue}, Attrs: types})
	g := finish(t, s)
	dir := t.TempDir() + "/waiting"
	err := model.Write(dir, model.Export{
		Graph: g, Init: waits,
		Signatures: map[string]model.ExportSignature{"serving_default": {Inputs: map[string]session.Output{"x": x}, Outputs: map[string]session.Output{"y": y}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error)
	go func() {
		_, err := model.LoadContext(ctx, dir, []string{"serve"}, nil)
		cancelled <- err
	}()
	cancel()
	if err := <-cancelled; status.CodeOf(err) != status.Canceled {
		t.Error(err)
	}
}
