package lower_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// counter has a variable that a function counts up, called in three ways.
const counter = `
	v = VarHandleOp() {dtype=DT_FLOAT, shape=shape [], shared_name="v"}
	zero = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0>}
	init = AssignVariableOp(v, zero) {dtype=DT_FLOAT}
	read = ReadVariableOp(v) {dtype=DT_FLOAT}
	count = StatefulPartitionedCall(v) {Tin=[DT_RESOURCE], Tout=[DT_FLOAT], f=func Count}
	after = ReadVariableOp(v, ^count) {dtype=DT_FLOAT}
	twice = AddV2(count, count)

	p = Placeholder() {dtype=DT_BOOL, shape=shape []}
	s = Switch(v, p)
	on_branch = StatefulPartitionedCall(s:1) {Tin=[DT_RESOURCE], Tout=[DT_FLOAT], f=func Count}
	other = Neg(zero, ^s0)
	s0 = Identity(s)
	either = Merge(other, on_branch)

	stateful func Count(v: resource) -> (y: float) {
	  one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
	  add = AssignAddVariableOp(v, one:output:0) {dtype=DT_FLOAT}
	  seven = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 7>}
	  return y = seven:output:0, ^done = add
	}
`

// A call is one operation to who feeds, fetches, waits for it or runs it, and to
// dead tokens.
func TestCallIsOneOperation(t *testing.T) {
	g := graph.New()
	if err := notation.Add(g, counter); err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(feed, fetch, target string, value any) string {
		t.Helper()
		feeds := map[graph.Output]*tensor.Tensor{}
		var fetches []graph.Output
		var targets []*graph.Node
		if feed != "" {
			x, err := tensor.NewTensor(value)
			if err != nil {
				t.Fatal(err)
			}
			feeds[g.Operation(feed).Output(0)] = x
		}
		if fetch != "" {
			fetches = append(fetches, g.Operation(fetch).Output(0))
		}
		if target != "" {
			targets = append(targets, g.Operation(target))
		}
		out, err := s.Run(feeds, fetches, targets)
		if err != nil {
			t.Fatal(err)
		}
		if len(out) == 0 {
			return ""
		}
		return fmt.Sprint(out[0].Value())
	}
	for _, step := range []struct {
		feed, fetch, target string
		value               any
		want, count         string
	}{
		{target: "init", count: "0"},
		{target: "count", count: "1"},                                              // run for its effect
		{fetch: "count", want: "7", count: "2"},                                    // fetched: the effect comes too
		{fetch: "after", want: "3", count: "3"},                                    // waited for: after the effect
		{fetch: "twice", want: "14", count: "4"},                                   // used twice, called once
		{feed: "count", value: float32(5), fetch: "twice", want: "10", count: "4"}, // fed: not called
		{feed: "p", value: false, fetch: "either", want: "-0", count: "4"},         // dead: not called
		{feed: "p", value: true, fetch: "either", want: "7", count: "5"},
	} {
		if got := run(step.feed, step.fetch, step.target, step.value); got != step.want {
			t.Errorf("%+v: got %s", step, got)
		}
		if count := run("", "read", "", nil); count != step.count {
			t.Fatalf("%+v: counted %s", step, count)
		}
	}
}
