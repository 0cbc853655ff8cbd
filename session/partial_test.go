package session_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/session"
)

type feeds = map[session.Output]*session.Tensor

func ExamplePartialRun() {
	g := session.NewGraph()
	add := func(op, name string, attrs map[string]any, in ...session.Input) session.Output {
		n, err := g.AddOperation(session.OpSpec{Type: op, Name: name, Attrs: attrs, Input: in})
		if err != nil {
			log.Fatal(err)
		}
		return n.Output(0)
	}
	number := func(x int32) *session.Tensor {
		t, err := session.NewTensor(x)
		if err != nil {
			log.Fatal(err)
		}
		return t
	}
	a := add("Placeholder", "a", map[string]any{"dtype": session.Int32})
	b := add("Placeholder", "b", map[string]any{"dtype": session.Int32})
	two := add("Const", "two", map[string]any{"dtype": session.Int32, "value": number(2)})
	plus2 := add("Add", "plus2", nil, a, two)
	plusB := add("Add", "plusB", nil, plus2, b)

	s, err := session.NewSession(g, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	pr, err := s.NewPartialRun([]session.Output{a, b}, []session.Output{plus2, plusB}, []*session.Operation{plusB.Op})
	if err != nil {
		log.Fatal(err)
	}
	first, err := pr.Run(feeds{a: number(1)}, []session.Output{plus2}, nil)
	if err != nil {
		log.Fatal(err)
	}
	// What the second run feeds may depend on what the first one fetched.
	second, err := pr.Run(feeds{b: number(7)}, []session.Output{plusB}, []*session.Operation{plusB.Op})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first[0], second[0])
	// Output: 3 10
}

// What one run has computed is not computed again for the next.
func TestPartialRunComputesOnce(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		b := build(t)
		v := b.add("VarHandleOp", "v", map[string]any{"dtype": session.Int32, "shape": session.ScalarShape()}).Output(0)
		init := b.add("AssignVariableOp", "init", nil, v, b.constant("zero", int32(0)))
		x, y := b.placeholder("x", session.Int32), b.placeholder("y", session.Int32)
		count := b.add("AssignAddVariableOp", "count", nil, v, x)
		read, err := b.AddOperation(session.OpSpec{Type: "ReadVariableOp", Name: "read", Input: []session.Input{v},
			Attrs: map[string]any{"dtype": session.Int32}, ControlDependencies: []*session.Operation{count}})
		if err != nil {
			t.Fatal(err)
		}
		sum := b.add("Add", "sum", nil, read.Output(0), y).Output(0)
		s := b.open(&o)
		if _, err := s.Run(nil, nil, []*session.Operation{init}); err != nil {
			t.Fatal(err)
		}
		for i := range int32(3) {
			pr, err := s.NewPartialRun([]session.Output{x, y}, []session.Output{read.Output(0), sum}, nil)
			if err != nil {
				t.Fatal(err)
			}
			out, err := pr.Run(feeds{x: tensorOf(t, int32(1))}, []session.Output{read.Output(0)}, nil)
			if err != nil || out[0].Value() != i+1 {
				t.Fatalf("first run: %v, %v", out, err)
			}
			out, err = pr.Run(feeds{y: tensorOf(t, int32(100))}, []session.Output{sum}, nil)
			if err != nil || out[0].Value() != i+101 {
				t.Fatalf("second run: %v, %v", out, err)
			}
		}
	})
}

func TestPartialRunErrors(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		b := build(t)
		x, y, p := b.placeholder("x", session.Float), b.placeholder("y", session.Float), b.placeholder("p", session.Bool)
		sw := b.add("Switch", "switch", nil, x, p)
		sum := b.add("Add", "sum", nil, x, y).Output(0)
		loose := b.add("Neg", "loose", nil, x)
		s := b.open(&o)
		one, yes := tensorOf(t, float32(1)), tensorOf(t, true)
		if _, err := s.NewPartialRun([]session.Output{x}, []session.Output{x}, nil); session.CodeOf(err) != session.InvalidArgument {
			t.Errorf("fed and fetched: %v", err)
		}
		pr, err := s.NewPartialRun([]session.Output{x, y, p}, []session.Output{sum, sw.Output(0), sw.Output(1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer pr.Close()
		for _, c := range []struct {
			feeds   feeds
			fetches []session.Output
			targets []*session.Operation
			words   string
		}{
			{feeds{loose.Output(0): one}, nil, nil, "not specified in partial run setup"},
			{nil, []session.Output{loose.Output(0)}, nil, "not specified in partial run setup"},
			{nil, nil, []*session.Operation{loose}, "not specified in partial run setup"},
			{feeds{x: yes}, nil, nil, "to be float but bool is provided"},
			{feeds{x: nil}, nil, nil, "is nil"},
			{feeds{x: one}, []session.Output{sum}, nil, "y:0 has not been fed"},
			{feeds{x: one, p: yes}, []session.Output{sw.Output(0)}, nil, "Retval[1] does not have value"},
			{feeds{x: one}, nil, nil, "has already been fed"},
			{nil, []session.Output{sw.Output(0)}, nil, "has already been fetched"},
		} {
			if _, err := pr.Run(c.feeds, c.fetches, c.targets); session.CodeOf(err) != session.InvalidArgument || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v, want %q", err, c.words)
			}
		}
		out, err := pr.Run(feeds{y: one}, []session.Output{sum, sw.Output(1)}, nil)
		if err != nil || out[0].Value() != float32(2) || out[1].Value() != float32(1) {
			t.Errorf("%v, %v", out, err)
		}
	})
}

func TestPartialRunsAreGivenUp(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Neg", "y", nil, x).Output(0)
	s := b.open(nil)
	start := func() *session.PartialRun {
		pr, err := s.NewPartialRun([]session.Output{x}, []session.Output{y}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return pr
	}
	start().Close()
	abandoned := start()
	exit := b.endless("loop")
	stuck, err := s.NewPartialRun(nil, []session.Output{exit}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := stuck.RunContext(ctx, nil, []session.Output{exit}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting in vain: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := abandoned.Run(feeds{x: tensorOf(t, float32(1))}, []session.Output{y}, nil); session.CodeOf(err) != session.Canceled {
		t.Errorf("after the session was closed: %v", err)
	}
}
