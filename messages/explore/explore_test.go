package explore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/messages/explore"
	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var (
	long  = flag.Bool("long", false, "explore the larger graphs, too: some minutes and gigabytes")
	limit = flag.Int("limit", 30_000_000, "how many `STATES` a graph may have")
)

// A sample is a small graph with what is fetched.
type sample struct {
	name, fetch string
	text        string
	long        bool // of more than some thousand states
}

const (
	number = "{dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: %d>}"
	truth  = "{dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: %v>}"
)

func constant(name string, n int, after string) string {
	return fmt.Sprintf("%s = Const(%s) "+number+"\n", name, after, n)
}

func boolean(name string, b bool) string { return fmt.Sprintf("%s = Const() "+truth+"\n", name, b) }

// counter counts to n in a loop of that many parallel iterations, with a limit
// that is a loop invariant.
func counter(n, parallel int) string {
	return constant("zero", 0, "") + constant("limit", n, "") + fmt.Sprintf(`
enter = Enter(zero) {frame_name="loop", parallel_iterations=%[1]d}
last = Enter(limit) {frame_name="loop", is_constant=true, parallel_iterations=%[1]d}
merge = Merge(enter, next)
less = Less(merge, last)
cond = LoopCond(less)
switch = Switch(merge, cond)
`, parallel) + constant("one", 1, "^switch") + `
add = AddV2(switch:1, one)
next = NextIteration(add)
exit = Exit(switch)
`
}

// samples are graphs in which much can happen at the same time.
func samples() []sample {
	return []sample{
		{name: "diamond", fetch: "sum", text: constant("x", 3, "") + "a = Identity(x)\nb = Neg(x)\nsum = AddV2(a, b)\n"},
		{name: "branches", fetch: "merge", text: constant("x", 3, "") + boolean("p", true) + "s = Switch(x, p)\na = Neg(s)\nb = Identity(s:1)\nmerge = Merge(a, b)\n"},
		{name: "two live inputs", fetch: "merge", text: constant("x", 3, "") + constant("y", 4, "") + "a = Neg(y)\nmerge = Merge(x, a)\n"},
		{name: "trigger", fetch: "y", text: constant("x", 3, "") + boolean("p", false) + "s = Switch(x, p)\ndead = Identity(s:1)\nt = ControlTrigger(^dead)\ny = Identity(x, ^t)\n"},
		{name: "dead fetch", fetch: "y", text: constant("x", 3, "") + boolean("p", false) + "s = Switch(x, p)\ny = Neg(s:1)\n"},
		{name: "counter", fetch: "exit", text: counter(1, 1)},
		{long: true, name: "parallel counter", fetch: "exit", text: counter(2, 2)},
		{name: "never entered", fetch: "exit", text: constant("x", 3, "") + boolean("p", false) + `
s = Switch(x, p)
enter = Enter(s:1) {frame_name="loop"}
merge = Merge(enter, next)
stop = Less(merge, merge)
cond = LoopCond(stop)
switch = Switch(merge, cond)
next = NextIteration(switch:1)
exit = Exit(switch)
`},
		{name: "ordinary Enter that later iterations want", fetch: "exit", text: constant("zero", 0, "") + constant("limit", 1, "") + `
enter = Enter(zero) {frame_name="loop"}
once = Enter(limit) {frame_name="loop"}
merge = Merge(enter, next)
less = Less(merge, once)
cond = LoopCond(less)
switch = Switch(merge, cond)
add = AddV2(switch:1, switch:1)
next = NextIteration(add)
exit = Exit(switch)
`},
		{long: true, name: "two NextIterations", fetch: "exit", text: constant("zero", 0, "") + constant("limit", 1, "") + `
enter = Enter(zero) {frame_name="loop", parallel_iterations=1}
last = Enter(limit) {frame_name="loop", is_constant=true, parallel_iterations=1}
merge = Merge(enter, next, other)
less = Less(merge, last)
cond = LoopCond(less)
switch = Switch(merge, cond)
` + constant("one", 1, "^switch") + `
add = AddV2(switch:1, one)
next = NextIteration(add)
other = NextIteration(add)
exit = Exit(switch)
`},
		{name: "exit of two iterations", fetch: "exit", text: constant("zero", 0, "") + `
enter = Enter(zero) {frame_name="loop", parallel_iterations=1}
next = NextIteration(enter)
merge = Merge(enter, next)
exit = Exit(merge)
`},
		{long: true, name: "exit of every iteration", fetch: "exit", text: constant("zero", 0, "") + constant("limit", 1, "") + `
enter = Enter(zero) {frame_name="loop", parallel_iterations=1}
last = Enter(limit) {frame_name="loop", is_constant=true, parallel_iterations=1}
merge = Merge(enter, next)
less = Less(merge, last)
switch = Switch(merge, less)
` + constant("one", 1, "^switch") + `
add = AddV2(switch:1, one)
next = NextIteration(add)
exit = Exit(merge)
`},
		{name: "frame that waits for ever", fetch: "out", text: constant("zero", 0, "") + `
e = Enter(zero) {frame_name="loop", parallel_iterations=1}
next = NextIteration(e)
never = AddV2(e, next)
exit = Exit(never)
a = Enter(zero) {frame_name="second", parallel_iterations=1}
b = Enter(exit) {frame_name="second", parallel_iterations=1}
sum = AddV2(a, b)
out = Exit(sum)
`},
		{name: "inner frame that waits for another Enter", fetch: "exit", text: constant("zero", 0, "") + `
e = Enter(zero) {frame_name="outer", parallel_iterations=1}
a = Enter(e) {frame_name="inner", parallel_iterations=1}
later = Neg(e)
b = Enter(later) {frame_name="inner", parallel_iterations=1}
sum = AddV2(a, b)
out = Exit(sum)
next = NextIteration(out)
exit = Exit(next)
`},
		{long: true, name: "inner frame that waits for ever", fetch: "exit exit2", text: constant("zero", 0, "") + constant("limit", 1, "") + `
enter = Enter(zero) {frame_name="outer", parallel_iterations=1}
once = Enter(limit) {frame_name="outer", parallel_iterations=1}
last = Enter(limit) {frame_name="outer", is_constant=true, parallel_iterations=1}
merge = Merge(enter, next)
less = Less(merge, last)
cond = LoopCond(less)
switch = Switch(merge, cond)
` + constant("one", 1, "^switch") + `
add = AddV2(switch:1, one)
next = NextIteration(add)
a = Enter(merge) {frame_name="inner", parallel_iterations=1}
b = Enter(once) {frame_name="inner", parallel_iterations=1}
both = AddV2(a, b)
exit = Exit(switch)
out = Exit(both)
after = Neg(out)
exit2 = Exit(after)
`},
		{name: "nested", fetch: "exit", text: constant("zero", 0, "") + `
enter = Enter(zero) {frame_name="outer", parallel_iterations=1}
merge = Merge(enter, next)
in = Enter(merge) {frame_name="inner", parallel_iterations=1}
inmerge = Merge(in, innext)
less = Less(inmerge, inmerge)
incond = LoopCond(less)
inswitch = Switch(inmerge, incond)
innext = NextIteration(inswitch:1)
out = Exit(inswitch)
no = Less(out, out)
cond = LoopCond(no)
switch = Switch(out, cond)
next = NextIteration(switch:1)
exit = Exit(switch)
`},
	}
}

func compiled(t testing.TB, s sample) *nodes.Program {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, s.text); err != nil {
		t.Fatal(err)
	}
	var spec compile.Spec
	for _, f := range strings.Fields(s.fetch) {
		spec.Fetches = append(spec.Fetches, g.Operation(f).Output(0))
	}
	p, err := compile.Graph(context.Background(), g, spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// judge returns what the step machine answers, in the words of an exploration.
func judge(t testing.TB, p *nodes.Program) string {
	fetched := make([]tensor.Value, len(p.Fetches()))
	step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: kerneltest.Serial{}}
	err := sequential.New(nil).Run(step, p, nil, fetched)
	var e *status.Error
	switch {
	case err == nil:
		var all []string
		for _, v := range fetched {
			all = append(all, fmt.Sprint(v.Tensor()))
		}
		return strings.Join(all, " ")
	case !errors.As(err, &e):
		t.Fatal(err)
	case strings.Contains(e.Message, "branch not taken"):
		return "dead"
	case strings.Contains(e.Message, "never came"):
		return "hangs"
	}
	return "fails: " + e.Node
}

// disagree reports how the answers of an exploration differ from the step machine's.
func disagree(r explore.Result, want string) error {
	for got := range r.Outcomes {
		same := got == want || strings.HasPrefix(want, "fails") && strings.HasPrefix(got, want)
		if !same {
			return fmt.Errorf("%s, and %s on the step machine", got, want)
		}
	}
	return nil
}

// Whatever order messages come in, a step answers what the step machine does, and
// nothing happens that must not.
func TestEveryOrder(t *testing.T) {
	for _, s := range samples() {
		if s.long && !*long {
			continue
		}
		p := compiled(t, s)
		want := judge(t, p)
		for _, n := range []explore.Notices{explore.First, explore.Last} {
			if testing.Short() && n == explore.Last {
				continue
			}
			r, err := explore.All(t.Context(), p, nil, explore.Options{Notices: n, States: *limit})
			if err == nil {
				err = disagree(r, want)
			}
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			t.Logf("%s: %+v", s.name, r)
		}
	}
}

// News without credit may come at any time.
func TestLateNews(t *testing.T) {
	for _, s := range samples() {
		if s.name != "never entered" && s.name != "frame that waits for ever" {
			continue
		}
		p := compiled(t, s)
		r, err := explore.All(t.Context(), p, nil, explore.Options{Notices: explore.Any, States: *limit})
		if err == nil {
			err = disagree(r, judge(t, p))
		}
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		t.Logf("%s: %+v", s.name, r)
	}
}

// Mistakes in what actors send are found: by what must not be, or by the answer.
func TestTampering(t *testing.T) {
	news := func(n protocol.News) func(m *protocol.Message) bool {
		return func(m *protocol.Message) bool {
			m.News &^= n
			return true
		}
	}
	for _, c := range []struct {
		name, sample string
		// change changes a message, and reports whether it is sent.
		change func(m *protocol.Message) bool
	}{
		{"credit is not given back", "diamond", func(m *protocol.Message) bool { return m.Verb != protocol.Notice }},
		{"credit is given twice", "diamond", func(m *protocol.Message) bool {
			if m.Verb == protocol.Arrive && m.Credit > 0 {
				m.Credit--
			}
			return true
		}},
		{"credit of another iteration", "counter", func(m *protocol.Message) bool {
			if m.Verb == protocol.Notice && m.Tag.Iter > 0 {
				m.Tag.Iter--
			}
			return true
		}},
		{"what is kept is not told", "ordinary Enter that later iterations want", news(protocol.Opened)},
		{"a dead Exit does not linger", "never entered", news(protocol.Lingers)},
		{"a frame does not tell that it waits", "frame that waits for ever", news(protocol.Suspended)},
		{"death is life", "branches", func(m *protocol.Message) bool {
			if m.Verb == protocol.Enter || m.Verb == protocol.Arrive {
				m.Dead = false
			}
			return true
		}},
		{"an Enter is lost", "counter", func(m *protocol.Message) bool { return m.Verb != protocol.Enter || m.Node < 0 }},
		{"a value for the next iteration stays in its own", "counter", func(m *protocol.Message) bool {
			if m.Verb == protocol.Arrive && m.Tag.Iter > 0 {
				m.Tag.Iter--
			}
			return true
		}},
		{"tokens come to another input", "two live inputs", func(m *protocol.Message) bool {
			if m.Verb == protocol.Arrive {
				m.Slot = 0
			}
			return true
		}},
	} {
		for _, s := range samples() {
			if s.name != c.sample {
				continue
			}
			p := compiled(t, s)
			r, err := explore.All(t.Context(), p, nil, explore.Options{Tamper: func(sent []protocol.Message) (all []protocol.Message) {
				for _, m := range sent {
					if c.change(&m) {
						all = append(all, m)
					}
				}
				return all
			}})
			if err == nil {
				err = disagree(r, judge(t, p))
			}
			if err == nil {
				t.Errorf("%s: nothing is found in %s", c.name, s.name)
			} else {
				t.Logf("%s: %.100s", c.name, err)
			}
		}
	}
}
