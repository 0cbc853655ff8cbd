package session_test

import (
	"testing"

	"github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe"
)

// A builder adds nodes to a graph and fails the test where that fails.
type builder struct {
	testing.TB
	*session.Graph
}

func build(t testing.TB) builder { return builder{t, session.NewGraph()} }

func (b builder) add(op, name string, attrs map[string]any, in ...session.Input) *session.Operation {
	b.Helper()
	n, err := b.AddOperation(session.OpSpec{Type: op, Name: name, Input: in, Attrs: attrs})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func (b builder) placeholder(name string, dt session.DataType) session.Output {
	return b.add("Placeholder", name, map[string]any{"dtype": dt}).Output(0)
}

func (b builder) constant(name string, value any) session.Output {
	t := tensorOf(b, value)
	return b.add("Const", name, map[string]any{"dtype": t.DataType(), "value": t}).Output(0)
}

func (b builder) open(o *session.SessionOptions) *session.Session {
	b.Helper()
	s, err := session.NewSession(b.Graph, o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

func tensorOf(t testing.TB, value any) *session.Tensor {
	t.Helper()
	v, err := session.NewTensor(value)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// endless adds a loop that counts for ever, and gives its exit.
func (b builder) endless(name string) session.Output {
	loop := func(op, node string, attrs map[string]any, in ...session.Input) session.Output {
		return b.add(op, name+"/"+node, attrs, in...).Output(0)
	}
	enter := loop("Enter", "Enter", map[string]any{"frame_name": name}, b.constant(name+"/start", int32(0)))
	merge := b.add("Merge", name+"/Merge", nil, session.OutputList{enter, enter})
	yes := loop("GreaterEqual", "true", nil, merge.Output(0), merge.Output(0))
	cond := loop("LoopCond", "LoopCond", nil, yes)
	sw := b.add("Switch", name+"/Switch", nil, merge.Output(0), cond)
	next := loop("NextIteration", "NextIteration", nil, loop("Add", "Add", nil, sw.Output(1), sw.Output(1)))
	if err := b.SetBackEdge(merge, 1, next); err != nil {
		b.Fatal(err)
	}
	return loop("Exit", "Exit", nil, sw.Output(0))
}

// starved returns an output that waits for an element of a queue that is always empty.
func (b builder) starved() session.Output {
	types := map[string]any{"component_types": []session.DataType{session.Float}}
	queue := b.add("FIFOQueueV2", "queue", types).Output(0)
	return b.add("QueueDequeueV2", "take", map[string]any{"component_types": types["component_types"]}, queue).Output(0)
}
