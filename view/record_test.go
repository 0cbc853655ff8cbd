package view

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/tensor"
)

// recorded runs a graph's node y.
func recorded(t *testing.T, text string) *recording.Recording {
	t.Helper()
	g := troupe.NewGraph()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	s, err := troupe.NewSession(g, &troupe.SessionOptions{Rewrite: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := recording.New()
	if _, err := s.RunContext(recording.With(t.Context(), r), nil, []troupe.Output{g.Operation("y").Output(0)}, nil); err != nil {
		t.Fatal(err)
	}
	return r
}

const negated = `
x = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2] values: 1 2>}
y = Neg(x) {T=DT_FLOAT}
`

// add adds a run of negated.
func add(t *testing.T, p *Page, title string) {
	t.Helper()
	if err := p.AddRecording(title, recorded(t, negated)); err != nil {
		t.Fatal(err)
	}
}

func TestRecording(t *testing.T) {
	p := New("run")
	add(t, p, "one")
	if len(p.runs) != 1 || len(p.graphs) != 1 || p.graphs[0].Kind != "program" {
		t.Fatalf("%d runs, %d graphs", len(p.runs), len(p.graphs))
	}
	run, names := p.runs[0], p.graphs[0].Nodes.full()
	var acted []string
	for _, e := range run.Events {
		acted = append(acted, names[e[1].(int32)])
	}
	if got := strings.Join(acted, " "); got != "x y _retval_y:0" {
		t.Errorf("what acted: %s", got)
	}
	if in := run.Events[2][10].([]int32); len(in) != 1 || run.Texts[in[0]] != "float [2] [-1. -2.]" {
		t.Errorf("the fetch gets %q of %q", in, run.Texts)
	}
}

func TestCompare(t *testing.T) {
	earlier := New("earlier")
	add(t, earlier, "</script>")
	var page bytes.Buffer
	if err := earlier.Write(&page); err != nil {
		t.Fatal(err)
	}
	p := New("later")
	if err := p.Compare(&page); err != nil {
		t.Fatal(err)
	}
	add(t, p, "later")
	text := write(t, p)
	_, rest, _ := strings.Cut(text, `id="data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	var has struct {
		Runs  []json.RawMessage
		Other struct{ Runs []struct{ Title string } }
	}
	if err := json.Unmarshal([]byte(data), &has); err != nil {
		t.Fatal(err)
	}
	if len(has.Runs) != 1 || len(has.Other.Runs) != 1 || has.Other.Runs[0].Title != "</script>" {
		t.Errorf("%+v", has)
	}
	for text, want := range map[string]string{
		"<p>":             "not a page",
		write(t, New("")): "no recorded run",
		`<script type="application/json" id="data">{</script>`: "not a page",
	} {
		if err := p.Compare(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

func TestValues(t *testing.T) {
	g := troupe.NewGraph()
	if err := notation.Add(g, "v = VarHandleOp() {dtype=DT_FLOAT, shape=shape [2], shared_name=\"w\"}\nu = VarHandleOp() {dtype=DT_FLOAT, shape=shape []}\n"); err != nil {
		t.Fatal(err)
	}
	w, err := tensor.FromSlice([]float32{3, 5}, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := New("")
	p.AddGraph("graph", g)
	p.AddValues(map[string]*tensor.Tensor{"w": w})
	if vs := p.graphs[0].Values; len(vs.All) != 1 || vs.Of[0] != 0 || *vs.All[0].Mean != 4 {
		t.Errorf("%+v", vs)
	}
}
