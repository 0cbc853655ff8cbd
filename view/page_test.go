package view

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/tensor"
)

func write(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSize(t *testing.T) {
	const most = 600_000
	if n := len(write(t, New(""))); n > most {
		t.Errorf("a page without a graph has %d bytes, more than %d", n, most)
	}
}

// Text from a model cannot end the element that it is in.
func TestEscaped(t *testing.T) {
	evil := "</script></title><script>alert(1)</script>{{data}}{{title}}<!--"
	g := troupe.NewGraph()
	if err := notation.Add(g, "x = Placeholder() {dtype=DT_FLOAT}\n"); err != nil {
		t.Fatal(err)
	}
	plain, p := New(""), New(evil)
	plain.AddGraph("graph", g)
	p.AddGraph(evil, g)
	text := write(t, p)
	tags := regexp.MustCompile(`(?i)</?(script|title|style)|<!--`)
	if got, want := tags.FindAllString(text, -1), tags.FindAllString(write(t, plain), -1); len(got) != len(want) {
		t.Errorf("the page has the tags %q, want %q", got, want)
	}
	data := regexp.MustCompile(`id="data">(.*)</script>\n<script type="module">`).FindStringSubmatch(text)
	if data == nil {
		t.Fatal("the page has no data")
	}
	var v struct{ Title string }
	if err := json.Unmarshal([]byte(data[1]), &v); err != nil || v.Title != evil {
		t.Errorf("title %q, %v", v.Title, err)
	}
}

// A policy that does not match the script would leave the page empty.
func TestPolicyMatches(t *testing.T) {
	text := write(t, New(""))
	for _, element := range []string{"script type=\"module\"", "style"} {
		_, rest, _ := strings.Cut(text, "<"+element+">")
		content, _, _ := strings.Cut(rest, "</"+strings.Fields(element)[0]+">")
		if !strings.Contains(text, "'"+digest(content)+"'") {
			t.Errorf("the policy does not allow the page's %s", element)
		}
	}
}

func TestFunctionsOnce(t *testing.T) {
	g := troupe.NewGraph()
	err := notation.Add(g, `
x = Placeholder() {dtype=DT_FLOAT}
a = f(x)
b = f(a)
func f(x: float) -> (y: float) {
  n = Neg(x) {T=DT_FLOAT}
  return y = n:y:0
}
`)

	if err != nil {
		t.Fatal(err)
	}
	p := New("")
	p.AddGraph("graph", g)
	if len(p.graphs) != 2 || p.graphs[1].Kind != "function" {
		t.Fatalf("%d graphs, want the graph and f", len(p.graphs))
	}
	var calls []int
	for _, x := range p.graphs[0].Nodes.Calls {
		calls = append(calls, *x)
	}
	if !slices.Equal(calls, []int{1, 1, 2, 1}) {
		t.Errorf("calls of graphs by nodes are %v, want 1 by 1 and 2", calls)
	}
}

func TestSummarize(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	x, err := tensor.FromSlice([]float32{0, 1, 2, 3, 4, 5, 6, 7, 31, inf, nan, 0}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := summarize(x)
	if !ok || v.Count != 12 || v.Zeros != 2 || v.NaNs != 1 || v.Infinities != 1 || *v.Min != 0 || *v.Max != 31 || math.Abs(*v.Mean-5.9) > 1e-12 {
		t.Errorf("%+v", v)
	}
	sum := 0
	for _, n := range v.Bins {
		sum += n
	}
	if sum != 10 || v.Bins[0] != 2 || v.Bins[bins-1] != 1 {
		t.Errorf("bins %v", v.Bins)
	}
	wide, _ := tensor.FromSlice([]float64{-math.MaxFloat64, math.MaxFloat64, 0, 0, 0, 0, 0, 0, 0, 0}, 10)
	if v, _ := summarize(wide); v.Bins[0] != 1 || v.Bins[bins-1] != 1 {
		t.Errorf("bins of the widest range: %v", v.Bins)
	}
	text, _ := tensor.FromSlice([]string{strings.Repeat("é", 100)}, 1)
	if v, _ := summarize(text); len(v.First[0]) > firstText+8 || v.Min != nil {
		t.Errorf("%+v", v)
	}
	for _, x := range []*tensor.Tensor{x, wide, text} {
		v, _ := summarize(x)
		if _, err := json.Marshal(v); err != nil {
			t.Error(err)
		}
	}
}
