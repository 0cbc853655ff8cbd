package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A plainGraph is what an Editor should make, kept as plainly as possible:
// inputs and control inputs by name.
type plainGraph map[string]*plainNode

type plainNode struct {
	op       string
	inputs   []string // "name" or "name:1"
	controls map[string]bool
	device   string
}

func (g plainGraph) users(name string) (data, control []string) {
	for _, user := range slices.Sorted(maps.Keys(g)) {
		for _, in := range g[user].inputs {
			if base, _, _ := strings.Cut(in, ":"); base == name {
				data = append(data, user)
			}
		}
		if g[user].controls[name] {
			control = append(control, user)
		}
	}
	return
}

func (g plainGraph) redirect(from, to string, save string) {
	for name, n := range g {
		for i, in := range n.inputs {
			if in == from && name != save {
				n.inputs[i] = to
			}
		}
	}
}

// reaches reports whether to can be got to from a node along the edges.
func (g plainGraph) reaches(from, to string) bool {
	if from == to {
		return true
	}
	data, control := g.users(from)
	return slices.ContainsFunc(slices.Concat(data, control), func(u string) bool { return g.reaches(u, to) })
}

func (g plainGraph) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(g)) {
		n := g[name]
		fmt.Fprintf(&b, "%s %s %v %v %q\n", name, n.op, n.inputs, slices.Sorted(maps.Keys(n.controls)), n.device)
	}
	return b.String()
}

// plain returns a graph as a plainGraph.
func plain(g *graph.Graph) plainGraph {
	p := plainGraph{}
	for _, n := range g.Nodes() {
		m := &plainNode{op: n.Type(), controls: map[string]bool{}, device: n.Device()}
		for _, from := range n.Inputs() {
			m.inputs = append(m.inputs, ref(from.Op.Name(), from.Index))
		}
		for _, c := range n.Controls() {
			m.controls[c.Name()] = true
		}
		p[n.Name()] = m
	}
	return p
}

func ref(name string, index int) string {
	if index == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, index)
}

// ids that count from 0, inputs before consumers, uses that are the edges
// turned around.
func checkInvariants(t *rapid.T, g *graph.Graph) {
	in, out := map[graph.Edge]int{}, map[graph.Edge]int{}
	for i, n := range g.Nodes() {
		if n.ID() != i || g.Operation(n.Name()) != n || n.Graph() != g {
			t.Fatalf("node %d is %v with id %d", i, n, n.ID())
		}
		for e := range n.In() {
			in[e]++
			if e.From.Op.ID() >= i && !(!e.IsControl() && n.IsBackEdge(e.To.Index)) {
				t.Fatalf("%v leads back", e)
			}
		}
		for e := range n.Out() {
			out[e]++
		}
	}
	if diff := cmp.Diff(fmt.Sprint(len(in)), fmt.Sprint(len(out))); diff != "" || !maps.Equal(in, out) {
		t.Fatalf("edges in %v, edges out %v", in, out)
	}
	edges := 0
	for range g.Edges() {
		edges++
	}
	if edges != len(in) {
		t.Fatalf("%d edges, want %d", edges, len(in))
	}
}

// Random changes, made by an Editor and to a plainGraph, come to the same.
func TestEditorAgainstPlainGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graph.New()
		want := plainGraph{}
		add := func(ed *graph.Editor, name string) {
			names := slices.Sorted(maps.Keys(want))
			spec := graph.OpSpec{Name: name, Type: "Placeholder", Attrs: graph.Attrs{"dtype": tensor.Float}}
			n := &plainNode{op: spec.Type, controls: map[string]bool{}}
			find := func(name string) *graph.Node {
				if ed != nil {
					return ed.Node(name)
				}
				return g.Operation(name)
			}
			if len(names) > 0 {
				spec.Type = rapid.SampledFrom([]string{"Placeholder", "Neg", "AddV2", "Split"}).Draw(t, "op")
				n.op = spec.Type
				inputs := map[string]int{"Placeholder": 0, "Neg": 1, "AddV2": 2, "Split": 1}[spec.Type]
				if spec.Type != "Placeholder" {
					spec.Attrs = nil
				}
				if spec.Type == "Split" { // axis, which no other node takes
					axis := name + "_axis"
					c := graph.OpSpec{Name: axis, Type: "Const", Attrs: graph.Attrs{"dtype": tensor.Int32, "value": tensor.FromScalar(int32(0))}}
					if ed != nil {
						_, err := ed.Add(c)
						noError(t, err)
					} else {
						_, err := g.AddOperation(c)
						noError(t, err)
					}
					want[axis] = &plainNode{op: "Const", controls: map[string]bool{}}
					n.inputs = append(n.inputs, axis)
					spec.Input = append(spec.Input, find(axis).Output(0))
					spec.Attrs = graph.Attrs{"num_split": int64(2)}
				}
				for range inputs {
					from := find(rapid.SampledFrom(floats(want, names)).Draw(t, "input"))
					i := rapid.IntRange(0, from.NumOutputs()-1).Draw(t, "output")
					n.inputs = append(n.inputs, ref(from.Name(), i))
					spec.Input = append(spec.Input, from.Output(i))
				}
				if rapid.Bool().Draw(t, "waits") {
					c := rapid.SampledFrom(names).Draw(t, "control")
					n.controls[c] = true
					spec.ControlDependencies = []*graph.Node{find(c)}
				}
			}
			if ed != nil {
				_, err := ed.Add(spec)
				noError(t, err)
			} else {
				_, err := g.AddOperation(spec)
				noError(t, err)
			}
			want[name] = n
		}
		for i := range rapid.IntRange(1, 12).Draw(t, "nodes") {
			add(nil, fmt.Sprintf("n%d", i))
		}
		before := notation.Format(g, notation.Options{})
		ed := g.Edit()
		for i := range rapid.IntRange(0, 25).Draw(t, "changes") {
			names := slices.Sorted(maps.Keys(want))
			if len(floats(want, names)) < 2 {
				add(ed, fmt.Sprintf("m%d", i))
				continue
			}
			pick := func(what string) string { return rapid.SampledFrom(names).Draw(t, what) }
			switch rapid.IntRange(0, 7).Draw(t, "change") {
			case 0:
				add(ed, fmt.Sprintf("m%d", i))
			case 1: // remove
				name := pick("victim")
				data, control := want.users(name)
				err := ed.Remove(ed.Node(name))
				if used := len(data)+len(control) > 0; used != (err != nil) {
					t.Fatalf("removing %s, used by %v and %v: %v", name, data, control, err)
				} else if !used {
					delete(want, name)
				}
			case 2: // an input from an earlier node
				name := pick("consumer")
				n := want[name]
				if len(n.inputs) == 0 {
					continue
				}
				k := len(n.inputs) - 1
				from := rapid.SampledFrom(floats(want, names)).Draw(t, "input")
				if want.reaches(name, from) {
					continue // a cycle: tested apart
				}
				noError(t, ed.SetInput(ed.Node(name), k, ed.Node(from).Output(0)))
				n.inputs[k] = from
			case 3: // controls
				name, on := pick("waiter"), pick("control")
				if want[name].controls[on] {
					noError(t, ed.RemoveControl(ed.Node(name), ed.Node(on)))
					delete(want[name].controls, on)
				} else if !want.reaches(name, on) {
					noError(t, ed.AddControl(ed.Node(name), ed.Node(on)))
					want[name].controls[on] = true
				}
			case 4: // a node behind another
				from := rapid.SampledFrom(floats(want, names)).Draw(t, "from")
				name := fmt.Sprintf("behind%d", i)
				n, err := ed.Add(graph.OpSpec{Name: name, Type: "Identity", Input: []graph.Input{ed.Node(from).Output(0)}})
				noError(t, err)
				want[name] = &plainNode{op: "Identity", inputs: []string{from}, controls: map[string]bool{}}
				noError(t, ed.Redirect(ed.Node(from).Output(0), n.Output(0)))
				want.redirect(from, name, name)
			case 5: // replaced by what it takes
				name := pick("replaced")
				n := want[name]
				if (n.op != "Identity" && n.op != "Neg") || len(n.inputs) != 1 {
					continue
				}
				from, _, _ := strings.Cut(n.inputs[0], ":")
				noError(t, ed.Replace(ed.Node(name), ed.Node(name).Inputs()[0]))
				delete(want, name)
				want.redirect(name, n.inputs[0], "")
				for _, m := range want {
					if m.controls[name] {
						delete(m.controls, name)
						m.controls[from] = true
					}
				}
			case 6: // renamed
				name, other := pick("renamed"), fmt.Sprintf("r%d", i)
				noError(t, ed.Rename(ed.Node(name), other))
				want[other] = want[name]
				delete(want, name)
				for k := range 2 {
					want.redirect(ref(name, k), ref(other, k), "")
				}
				for _, m := range want {
					if m.controls[name] {
						delete(m.controls, name)
						m.controls[other] = true
					}
				}
			case 7: // placed
				name := pick("placed")
				noError(t, ed.SetDevice(ed.Node(name), "/device:CPU:0"))
				want[name].device = "/device:CPU:0"
			}
			if got := len(ed.Nodes()); got != len(want) {
				t.Fatalf("%d nodes, want %d", got, len(want))
			}
		}
		edited, err := ed.Done()
		noError(t, err)
		if diff := cmp.Diff(want.String(), plain(edited).String()); diff != "" {
			t.Fatalf("edited graph (-want +got):\n%s", diff)
		}
		checkInvariants(t, edited)
		if after := notation.Format(g, notation.Options{}); after != before {
			t.Fatalf("the original changed:\n%s", cmp.Diff(before, after))
		}
		// What was edited is a graph like any other.
		def, err := edited.GraphDef(graph.ExportOptions{})
		noError(t, err)
		again := graph.New()
		noError(t, again.Import(def, ""))
		for _, n := range edited.Nodes() {
			got := again.Operation(n.Name())
			for i := range n.NumOutputs() {
				if w, g := n.Output(i).Shape(), got.Output(i).Shape(); w.String() != g.String() {
					t.Fatalf("%v has shape %v, imported %v", n.Output(i), w, g)
				}
			}
		}
	})
}

func floats(g plainGraph, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return g[name].op == "Const" })
}

func noError(t interface{ Fatal(...any) }, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func parsed(t *testing.T, text string) *graph.Graph {
	t.Helper()
	g := graph.New()
	noError(t, notation.Add(g, text))
	return g
}

func TestEditorRefuses(t *testing.T) {
	g := parsed(t, `
		x = Placeholder() {dtype=DT_FLOAT, shape=shape [2,3]}
		w = Placeholder() {dtype=DT_FLOAT, shape=shape [3,4]}
		k = Placeholder() {dtype=DT_INT32}
		y = MatMul(x, w)
		z = Neg(y, ^k)
	`)
	other := parsed(t, `x = Placeholder() {dtype=DT_FLOAT}`)
	for _, test := range []struct {
		name   string
		change func(e *graph.Editor, n func(string) *graph.Node) error
		want   string
	}{
		{"remove what is used", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Remove(n("x")) },
			"node 'x' cannot be removed: 'y' needs it (x:0 -> y:0)"},
		{"remove what is waited for", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Remove(n("k")) },
			"node 'k' cannot be removed: 'z' needs it (^k -> z)"},
		{"remove twice", func(e *graph.Editor, n func(string) *graph.Node) error {
			z := n("z")
			noError(t, e.Remove(z, z))
			return e.Remove(z)
		}, "node 'z' has been removed"},
		{"remove another's", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Remove(other.Operation("x")) },
			"node 'x' is not a node of the graph that is being edited"},
		{"the original's", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Remove(g.Operation("z")) },
			"node 'z' is not a node of the graph that is being edited"},
		{"nil", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Remove(nil) },
			"a node to be edited is nil"},
		{"input of another type", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.SetInput(n("z"), 0, n("k").Output(0))
		}, "Input 0 of node z was passed int32 from k:0 incompatible with expected float."},
		{"no such input", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.SetInput(n("z"), 1, n("x").Output(0))
		}, "node 'z' has 1 input, so none of index 1"},
		{"no such output", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.SetInput(n("z"), 0, n("x").Output(1))
		}, "Connecting to invalid output 1 of source node x which has 1 outputs.; node 'z' (Neg)"},
		{"redirect to another type", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.Redirect(n("y").Output(0), n("k").Output(0))
		}, "Input 0 of node z was passed int32 from k:0 incompatible with expected float."},
		{"replace without output", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Replace(n("y")) },
			"node 'y' cannot be replaced: nothing takes the place of its output 0, which 'z' needs"},
		{"replace by nothing what is waited for", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Replace(n("k")) },
			"node 'k' cannot be replaced by nothing: 'z' waits for it"},
		{"replace by what needs it", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.Replace(n("y"), n("z").Output(0))
		}, "node 'y' cannot be replaced by 'z', which needs it (y:0 -> z:0)"},
		{"attribute of the wrong type", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.SetAttr(n("y"), "transpose_a", "yes")
		}, "transpose_a"},
		{"attribute that edges do not fit", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.SetAttr(n("y"), "T", tensor.Double)
		}, "Input 0 of node y was passed float from x:0 incompatible with expected double."},
		{"attribute that consumers do not fit", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.SetAttr(n("x"), "dtype", tensor.Double)
		}, "Input 0 of node y was passed double from x:0 incompatible with expected float."},
		{"attribute that must be there", func(e *graph.Editor, n func(string) *graph.Node) error {
			return e.SetAttr(n("x"), "dtype", nil)
		}, "dtype"},
		{"name in use", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Rename(n("x"), "y") },
			"Duplicate node name in graph: 'y'"},
		{"no name", func(e *graph.Editor, n func(string) *graph.Node) error { return e.Rename(n("x"), "a b") },
			"Node 'a b': Node name contains invalid characters"},
		{"no device", func(e *graph.Editor, n func(string) *graph.Node) error { return e.SetDevice(n("x"), "here") },
			"Error parsing the device spec"},
		{"shapes", func(e *graph.Editor, n func(string) *graph.Node) error {
			noError(t, e.SetInput(n("y"), 1, n("x").Output(0)))
			_, err := e.Done()
			return err
		}, "Dimensions must be equal, but are 3 and 2"},
		{"a cycle", func(e *graph.Editor, n func(string) *graph.Node) error {
			noError(t, e.SetInput(n("y"), 0, n("z").Output(0)))
			_, err := e.Done()
			return err
		}, "2 nodes in a cycle: 'z' -> 'y' -> 'z'"},
		{"a cycle of controls", func(e *graph.Editor, n func(string) *graph.Node) error {
			noError(t, e.AddControl(n("k"), n("z")))
			_, err := e.Done()
			return err
		}, "2 nodes in a cycle: 'z' -> 'k' -> 'z'"},
		{"when done", func(e *graph.Editor, n func(string) *graph.Node) error {
			z := n("z")
			_, err := e.Done()
			noError(t, err)
			if len(e.Nodes()) > 0 || e.Node("z") != nil {
				t.Error("a spent editor has nodes")
			}
			return e.Remove(z)
		}, "the editor has handed out its graph"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := g.Edit()
			err := test.change(e, e.Node)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
		})
	}
}

// What failed can be mended, and leaves nothing behind.
func TestEditorAfterFailure(t *testing.T) {
	g := parsed(t, `
		x = Placeholder() {dtype=DT_FLOAT, shape=shape [2,3]}
		w = Placeholder() {dtype=DT_FLOAT, shape=shape [3,4]}
		y = MatMul(x, w)
	`)
	e := g.Edit()
	y := e.Node("y")
	noError(t, e.SetInput(y, 1, e.Node("x").Output(0)))
	if _, err := e.Done(); status.CodeOf(err) != status.InvalidArgument {
		t.Fatal(err)
	}
	lax := g.Edit()
	lax.Lax()
	noError(t, lax.SetInput(lax.Node("y"), 1, lax.Node("x").Output(0)))
	loose, err := lax.Done()
	noError(t, err)
	if s := loose.Operation("y").Output(0).Shape().String(); s != "?" {
		t.Errorf("contradicting shapes make %s", s)
	}
	noError(t, e.SetAttr(y, "transpose_b", true))
	noError(t, e.SetAttr(y, "_note", "kept"))
	noError(t, e.SetAttr(y, "_other", "gone"))
	noError(t, e.SetAttr(y, "_other", nil))
	noError(t, e.Remove(e.Node("w")))
	edited, err := e.Done()
	noError(t, err)
	want := `x = Placeholder() {dtype=DT_FLOAT, shape=shape [2,3]}
y = MatMul(x, x) {T=DT_FLOAT, _note="kept", transpose_b=true}
`
	if diff := cmp.Diff(want, notation.Format(edited, notation.Options{})); diff != "" {
		t.Error(diff)
	}
	if s := edited.Operation("y").Output(0).Shape().String(); s != "[2, 2]" {
		t.Error(s)
	}
}

// A loop is taken out as a whole, and one is closed.
func TestEditorLoops(t *testing.T) {
	g := parsed(t, `
		c = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
		e = Enter(c) {frame_name="f"}
		m = Merge(e, n)
		p = Placeholder() {dtype=DT_BOOL}
		s = Switch(m, p)
		n = NextIteration(s:1)
		x = Exit(s)
		other = Neg(c)
	`)
	e := g.Edit()
	if err := e.Remove(e.Node("m")); status.CodeOf(err) != status.FailedPrecondition {
		t.Fatal(err)
	}
	if n, err := e.Prune(e.Node("other")); n != 6 || err != nil {
		t.Fatal(n, err)
	}
	enter, err := e.Add(graph.OpSpec{Type: "Enter", Name: "in", Input: []graph.Input{e.Node("c").Output(0)}, Attrs: graph.Attrs{"frame_name": "g"}})
	noError(t, err)
	merge, err := e.Add(graph.OpSpec{Type: "Merge", Name: "turn", Input: []graph.Input{graph.OutputList{enter.Output(0), enter.Output(0)}}})
	noError(t, err)
	next, err := e.Add(graph.OpSpec{Type: "NextIteration", Name: "on", Input: []graph.Input{merge.Output(0)}})
	noError(t, err)
	noError(t, e.SetInput(merge, 1, next.Output(0)))
	noError(t, e.SetInput(merge, 0, next.Output(0)))
	if _, err := e.Done(); err == nil || !strings.Contains(err.Error(), "'turn' (Merge) has back edges only") {
		t.Fatal(err)
	}
	noError(t, e.SetInput(merge, 0, enter.Output(0)))
	edited, err := e.Done()
	noError(t, err)
	want := `c = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
other = Neg(c) {T=DT_INT32}
in = Enter(c) {T=DT_INT32, frame_name="g"}
turn = Merge(in, on) {N=2, T=DT_INT32}
on = NextIteration(turn) {T=DT_INT32}
`
	if diff := cmp.Diff(want, notation.Format(edited, notation.Options{})); diff != "" {
		t.Error(diff)
	}
	if s := edited.Operation("turn").Output(0).Shape().String(); s != "?" {
		t.Errorf("the Merge has shape %s, though iterations may change it", s)
	}
}

func ExampleEditor() {
	g := graph.New()
	if err := notation.Add(g, `
		x = Placeholder() {dtype=DT_FLOAT}
		copy = Identity(x)
		zero = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0>}
		sum = AddV2(copy, zero)
		y = Neg(sum)
	`); err != nil {
		fmt.Println(err)
		return
	}
	e := g.Edit()
	for _, n := range e.Nodes() {
		var err error
		switch {
		case n.Type() == "Identity":
			err = e.Replace(n, n.Inputs()[0])
		case n.Type() == "AddV2" && n.Inputs()[1].Op.Name() == "zero":
			err = e.Replace(n, n.Inputs()[0])
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	removed, err := e.Prune(e.Node("y"))
	if err != nil {
		fmt.Println(err)
		return
	}
	edited, err := e.Done()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(removed, "more removed")
	fmt.Print(notation.Format(edited, notation.Options{}))
	// Output:
	// 1 more removed
	// x = Placeholder() {dtype=DT_FLOAT}
	// y = Neg(x) {T=DT_FLOAT}
}
