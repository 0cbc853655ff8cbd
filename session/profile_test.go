package session_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/wire"
)

// profiled runs a loop that adds vectors and counts to ten, over a function.
func profiled(t *testing.T, engine string) *session.StepStats {
	t.Helper()
	s := op.NewScope()
	x := op.Placeholder(s, session.Float, op.PlaceholderShape(session.MakeShape(8)))
	zero, ten := op.Const(s.SubScope("zero"), int32(0)), op.Const(s.SubScope("ten"), int32(10))
	out := op.While(s, []session.Output{zero, x},
		func(s *op.Scope, v []session.Output) session.Output { return op.Less(s, v[0], ten) },
		func(s *op.Scope, v []session.Output) []session.Output {
			return []session.Output{op.Add(s, v[0], op.Const(s, int32(1))), op.Sin(s, v[1])}
		})
	y := op.Exp(s.SubScope("after"), out[1])
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	sess, err := session.NewSession(g, &session.SessionOptions{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	var meta session.RunMetadata
	options := session.RunOptions{Metadata: &meta, Profile: true}
	feeds := map[session.Output]*session.Tensor{x: tensorOf(t, []float32{1, 2, 3, 4, 5, 6, 7, 8})}
	for range 3 { // chains are prepared once they are known
		if _, err := sess.RunWithOptions(t.Context(), options, feeds, []session.Output{y}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return meta.Stats
}

// TestProfileCounts counts activations on every engine: what a loop does, and what it
// is asked, is the same whoever plays it.
func TestProfileCounts(t *testing.T) {
	for _, engine := range []string{"actors", "tokens", "sequential", "seeded:3", "messages"} {
		t.Run(engine, func(t *testing.T) {
			s := profiled(t, engine)
			counts := map[string]int64{}
			for _, n := range s.Nodes {
				counts[n.Op] += n.Count
				switch n.Op {
				case "Sin":
					if n.Frame == "" || n.Timed == 0 || n.Total <= 0 || n.Bytes != 10*32 {
						t.Errorf("Sin: %+v", n)
					}
				case "Exp":
					if n.Frame != "" || n.Timed != 1 || len(n.Outputs) != 1 || !slices.Equal(n.Outputs[0].Shape, []int64{8}) {
						t.Errorf("Exp: %+v", n)
					}
				}
			}
			for op, want := range map[string]int64{"Sin": 10, "AddV2": 0, "Add": 10, "Less": 11, "Exp": 1} {
				if counts[op] != want {
					t.Errorf("%s has acted %d times, want %d", op, counts[op], want)
				}
			}
			if engine == "actors" != (len(s.Units) > 0) {
				t.Errorf("units: %v", s.Units)
			}
		})
	}
}

// TestSampler gives many runs to a sampler: a loop does the same in each, and so the
// profile has its counts to the last one, whoever plays it, and however few it has seen.
func TestSampler(t *testing.T) {
	for _, engine := range []string{"actors", "tokens", "messages"} {
		t.Run(engine, func(t *testing.T) {
			s := op.NewScope()
			ten := op.Const(s.SubScope("ten"), int32(10))
			x := op.Placeholder(s, session.Int32, op.PlaceholderShape(session.ScalarShape()))
			out := op.While(s, []session.Output{x},
				func(s *op.Scope, v []session.Output) session.Output { return op.Less(s, v[0], ten) },
				func(s *op.Scope, v []session.Output) []session.Output {
					return []session.Output{op.Add(s, v[0], op.Const(s, int32(1)))}
				})
			g, err := s.Finalize()
			if err != nil {
				t.Fatal(err)
			}
			sess, err := session.NewSession(g, &session.SessionOptions{Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			defer sess.Close()
			call, err := sess.MakeCallable([]session.Output{x}, out, nil)
			if err != nil {
				t.Fatal(err)
			}
			var sampler session.Sampler
			const runs = 300
			for range runs {
				if _, err := call.CallWithOptions(t.Context(), session.RunOptions{Sampler: &sampler}, tensorOf(t, int32(0))); err != nil {
					t.Fatal(err)
				}
			}
			m := sampler.Model()
			if m.Runs != runs || m.Recorded == 0 || m.Recorded >= runs || m.Elapsed <= 0 {
				t.Errorf("%d runs of %v, %d taken down", m.Runs, m.Elapsed, m.Recorded)
			}
			counts := map[string]int64{}
			for i := range m.Nodes {
				counts[m.Nodes[i].Op] += m.Nodes[i].Count
			}
			if counts["Add"] != 10*runs || counts["Less"] != 11*runs {
				t.Errorf("in %d runs nodes have acted %v times", runs, counts)
			}
			var table bytes.Buffer
			if err := m.WriteTable(&table, 3); err != nil || !strings.Contains(table.String(), " recorded) of ") {
				t.Errorf("%v: %s", err, &table)
			}
		})
	}
}

// TestTraceFormat reads a trace as Perfetto's importer of the trace event format does:
// an object with traceEvents; each event has a name, a phase, a process and a thread;
// complete events have a time and a duration; those of one thread lie within each other
// or beside each other; metadata names processes and threads.
func TestTraceFormat(t *testing.T) {
	for _, engine := range []string{"actors", "tokens"} {
		var b bytes.Buffer
		if err := profiled(t, engine).WriteTrace(&b); err != nil {
			t.Fatal(err)
		}
		var trace struct {
			DisplayTimeUnit string `json:"displayTimeUnit"`
			TraceEvents     []struct {
				Name     *string        `json:"name"`
				Phase    string         `json:"ph"`
				Category string         `json:"cat"`
				Process  *int           `json:"pid"`
				Thread   *int           `json:"tid"`
				Time     *float64       `json:"ts"`
				Duration *float64       `json:"dur"`
				Args     map[string]any `json:"args"`
			} `json:"traceEvents"`
			OtherData map[string]string `json:"otherData"`
		}
		d := json.NewDecoder(&b)
		d.DisallowUnknownFields()
		if err := d.Decode(&trace); err != nil {
			t.Fatal(err)
		}
		if trace.DisplayTimeUnit != "ns" || len(trace.TraceEvents) == 0 {
			t.Fatalf("the trace begins with %q and has %d events", trace.DisplayTimeUnit, len(trace.TraceEvents))
		}
		type span struct{ begin, end float64 }
		open := map[int][]span{}
		named := map[int]bool{}
		ops := map[string]bool{}
		for i, e := range trace.TraceEvents {
			if e.Name == nil || e.Process == nil || *e.Process == 0 || e.Thread == nil {
				t.Fatalf("event %d has no name, process or thread", i)
			}
			switch e.Phase {
			case "M":
				if _, ok := e.Args["name"].(string); *e.Name == "thread_name" && ok {
					named[*e.Thread] = true
				}
			case "X":
				if e.Time == nil || e.Duration == nil || *e.Time < 0 || *e.Duration < 0 {
					t.Fatalf("event %d has no time: %+v", i, e)
				}
				ops[*e.Name] = true
				x := span{*e.Time, *e.Time + *e.Duration}
				stack := open[*e.Thread]
				for len(stack) > 0 && stack[len(stack)-1].end <= x.begin+1e-6 {
					stack = stack[:len(stack)-1]
				}
				if len(stack) > 0 && x.end > stack[len(stack)-1].end+1e-6 {
					t.Errorf("event %d (%s) begins within %v and ends after it, %v", i, *e.Name, stack[len(stack)-1], x)
				}
				open[*e.Thread] = append(stack, x)
			default:
				t.Errorf("event %d has the phase %q", i, e.Phase)
			}
		}
		for thread := range open {
			if !named[thread] {
				t.Errorf("thread %d has no name", thread)
			}
		}
		if !ops["Exp"] || !ops["Sin"] {
			t.Errorf("the trace has %v", ops)
		}
	}
}

// TestRunMetadata decodes what is written as TensorFlow's message.
func TestRunMetadata(t *testing.T) {
	stats := profiled(t, "tokens")
	var m wire.RunMetadata
	if err := proto.Unmarshal(stats.AppendRunMetadata(nil), &m); err != nil {
		t.Fatal(err)
	}
	if n := len(m.GetStepStats().GetDevStats()); n != 1 {
		t.Fatalf("%d devices", n)
	}
	d := m.StepStats.DevStats[0]
	if !strings.HasSuffix(d.Device, "CPU:0") || len(d.NodeStats) < len(stats.Events) || len(d.ThreadNames) == 0 {
		t.Errorf("device %q: %d nodes, %d events, threads %v", d.Device, len(d.NodeStats), len(stats.Events), d.ThreadNames)
	}
	seen := map[string]bool{}
	for i, n := range d.NodeStats {
		seen[n.NodeName] = true
		if i >= len(stats.Events) { // an instruction of a unit, without a time
			if n.AllEndRelNanos != 0 {
				t.Errorf("node %d: %v", i, n)
			}
			continue
		}
		e := stats.Events[i]
		if n.NodeName != stats.Nodes[e.Node].Name || n.AllEndRelNanos != e.End-e.Begin || n.AllStartNanos != stats.Begin.UnixNano()+e.Begin {
			t.Errorf("node %d: %v, want %+v of %s", i, n, e, stats.Nodes[e.Node].Name)
		}
	}
	for _, n := range stats.Nodes {
		if n.Count > 0 && !seen[n.Name] {
			t.Errorf("%s ran and is missing", n.Name)
		}
	}
}

// TestTable looks for what a table must say.
func TestTable(t *testing.T) {
	var m profile.Model
	m.Add(profiled(t, "actors"))
	var table, page bytes.Buffer
	if err := m.WriteTable(&table, 3); err != nil {
		t.Fatal(err)
	}
	if err := m.WritePage(&page, "a <b> model"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 run of ", "Sin, 1 node", "(Sin) in ", "critical path: ", "more nodes", "one unit: "} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, &table)
		}
	}
	for _, want := range []string{"a &lt;b&gt; model", "<td class=\"text\">Sin", "class=\"critical\""} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestProfileFunctions holds that nodes keep the function that they come from, whether
// it was laid out in the program or is called.
func TestProfileFunctions(t *testing.T) {
	g := session.NewGraph()
	if err := notation.Add(g, `
two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 1 2>}
laid = PartitionedCall(two) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Double}
called = MapDefun(laid) {Targuments=[DT_INT32], f=func Double, output_shapes=list(shape) [[]], output_types=[DT_INT32]}

func Double(x: int32) -> (y: int32) {
  sum = AddV2(x, x) {T=DT_INT32}
  return y = sum:z:0
}
`); err != nil {
		t.Fatal(err)
	}
	sess, err := session.NewSession(g, &session.SessionOptions{Rewrite: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	var meta session.RunMetadata
	if _, err := sess.RunWithOptions(t.Context(), session.RunOptions{Metadata: &meta, Profile: true}, nil,
		[]session.Output{g.Operation("called").Output(0)}, nil); err != nil {
		t.Fatal(err)
	}
	var counts []int64
	for _, n := range meta.Stats.Nodes {
		switch n.Op {
		case "AddV2":
			counts = append(counts, n.Count)
			if n.Function != "Double" || n.Inclusive {
				t.Errorf("%+v", n)
			}
		case "MapDefun":
			if n.Function != "" || !n.Inclusive || n.Count != 1 {
				t.Errorf("%+v", n)
			}
		}
	}
	if !slices.Equal(counts, []int64{1, 2}) {
		t.Errorf("AddV2 has acted %v times, want once where it is laid out and twice where it is called", counts)
	}
}
