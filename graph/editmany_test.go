package graph

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
)

// RedirectAll and ReplaceControls change many edges at once.
func TestEditMany(t *testing.T) {
	g := mustText(t, `
		x = Placeholder() {dtype=DT_FLOAT}
		a = Switch(x, p)
		p = Placeholder() {dtype=DT_BOOL}
		b = Neg(a)
		c = Neg(a:1, ^a)
		d = NoOp(^a, ^b, ^c)
	`)
	e := g.Edit()
	x, a := e.Node("x"), e.Node("a")
	after, err := e.Add(OpSpec{Type: "Identity", Name: "after", Input: []Input{a.Output(1)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.RedirectAll(a, []Output{x.Output(0)}); status.CodeOf(err) != status.FailedPrecondition {
		t.Errorf("an output that is taken was left out: %v", err)
	}
	if err := e.RedirectAll(a, []Output{x.Output(0), e.Node("p").Output(0)}); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("an output of another type: %v", err)
	}
	if err := e.RedirectAll(a, []Output{x.Output(0), after.Output(0)}); err != nil {
		t.Fatal(err)
	}
	if err := e.ReplaceControls(map[*Node]*Node{a: x, e.Node("c"): e.Node("b")}); err != nil {
		t.Fatal(err)
	}
	if err := e.ReplaceControls(map[*Node]*Node{a: g.Operation("x")}); err == nil {
		t.Error("a node of the original was waited for")
	}
	done, err := e.Done()
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(done, textOptions{})
	for _, want := range []string{"b = Neg(x)", "c = Neg(after, ^x)", "d = NoOp(^x, ^b)", "after = Identity(a:1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}

// What takes a context ends with it, and the editor can be used on.
func TestEditEnds(t *testing.T) {
	g := mustText(t, chainFunction(3)+"x = Placeholder() {dtype=DT_FLOAT}\ny = F(x)\n")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.EditContext(ended); status.CodeOf(err) != status.Canceled {
		t.Errorf("an edit: %v", err)
	}
	if _, err := g.Clone().InstantiateContext(ended, g.Operation("y").Callee()); status.CodeOf(err) != status.Canceled {
		t.Errorf("a body: %v", err)
	}
	def, err := g.GraphDef(ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New().ImportGraphDefContext(ended, def, ImportOptions{}); status.CodeOf(err) != status.Canceled {
		t.Errorf("an import: %v", err)
	}
	// Wherever the work ends, it can be done again.
	for until := range 100 {
		ctx := &endsAfter{Context: context.Background(), questions: until}
		e, err := g.EditContext(ctx)
		if err != nil {
			continue
		}
		e.watch = status.NewWatch(ctx)
		if _, err = e.Done(); err == nil {
			return
		}
		if status.CodeOf(err) != status.Canceled {
			t.Fatal(err)
		}
		e.watch = nil
		if done, err := e.Done(); err != nil || textOf(done, textOptions{}) != textOf(g, textOptions{}) {
			t.Fatalf("after %d questions: %v", until, err)
		}
	}
	t.Error("a hundred questions are not enough")
}

// endsAfter is a context that ends once it has been asked that often.
type endsAfter struct {
	context.Context
	questions int
}

func (c *endsAfter) Err() error {
	if c.questions--; c.questions < 0 {
		return context.Canceled
	}
	return nil
}

// TestReplaceManyThatOneWaitsFor: replacing nodes one by one does not copy the list of the
// node that waits for all of them each time.
func TestReplaceManyThatOneWaitsFor(t *testing.T) {
	const nodes = 2000
	var b strings.Builder
	b.WriteString("x = Placeholder() {dtype=DT_FLOAT}\n")
	all := "x"
	for i := range nodes {
		fmt.Fprintf(&b, "i%d = Identity(x)\n", i)
		all += fmt.Sprintf(", ^i%d", i)
	}
	g := mustText(t, b.String()+"end = Identity("+all+")\n")
	e := g.Edit()
	x := e.Node("x").Output(0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range nodes {
		if err := e.Replace(e.Node(fmt.Sprint("i", i)), x); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > nodes*2000 { // lists of 8 bytes for each node come to 8,000 on average
		t.Errorf("%d bytes for each node", n/nodes)
	}
	if c := e.Node("end").Controls(); len(c) != 1 || c[0] != x.Op {
		t.Errorf("the end waits for %v", c)
	}
	if c := g.Operation("end").Controls(); len(c) != nodes || c[nodes-1].Name() != fmt.Sprint("i", nodes-1) {
		t.Error("the original has changed")
	}
}
