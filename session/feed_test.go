package session_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
)

// A tensor that a placeholder excludes is refused before the step begins, by name; what
// is fed to another tensor, or to a placeholder of an old graph that says nothing, is not.
func TestFeedsAgreeWithPlaceholders(t *testing.T) {
	const text = `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [-1,2]}
y = Neg(x)
any = Placeholder() {dtype=DT_FLOAT}
z = Neg(any)
`
	g := graph.New()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		feed, fetch string
		value       any
		want        string
	}{
		{"x", "y", [][]float32{{1, 2}}, ""},
		{"x", "y", [][]float32{}, "Cannot feed value of shape [0,0] for tensor 'x:0', which has shape [?, 2]"},
		{"x", "y", float32(1), "Cannot feed value of shape [] for tensor 'x:0', which has shape [?, 2]"},
		{"x", "y", []float32{1, 2}, "Cannot feed value of shape [2] for tensor 'x:0', which has shape [?, 2]"},
		{"x", "y", [][]float64{{1, 2}}, "Expects arg[0] to be float but double is provided: the tensor fed to 'x:0'"},
		{"any", "z", float32(1), ""},
		{"y", "y", []float32{1}, "Tensor y:0 is both fed and fetched."},
	} {
		feed, err := g.Find(c.feed)
		if err != nil {
			t.Fatal(err)
		}
		fetch, err := g.Find(c.fetch + ":0")
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Run(map[session.Output]*session.Tensor{feed: tensorOf(t, c.value)}, []session.Output{fetch}, nil)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s fed with %v: %v, want %q", c.feed, c.value, err, c.want)
		}
	}
	if _, err := g.Find("any:1"); err == nil || !strings.HasSuffix(err.Error(), "node 'any' has 1 output, so none of index 1") {
		t.Error(err)
	}
	if _, err := g.Find("ani"); err == nil || !strings.HasSuffix(err.Error(), "the graph has no node 'ani' (did you mean 'any'?)") {
		t.Error(err)
	}
	if o, err := g.Find("^x"); err != nil || o.Op.Name() != "x" {
		t.Error(o, err)
	}
}
