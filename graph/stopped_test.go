package graph_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// chainOfCalls returns a GraphDef that calls the first of n functions, each of which calls
// the next one.
func chainOfCalls(t *testing.T, n int) []byte {
	t.Helper()
	dtype := map[string]*wire.AttrValue{"dtype": {Value: &wire.AttrValue_Type{Type: wire.DataType_DT_INT32}}}
	def := &wire.GraphDef{Versions: &wire.VersionDef{Producer: 1882}, Library: &wire.FunctionDefLibrary{}}
	def.Node = []*wire.NodeDef{{Name: "x", Op: "Placeholder", Attr: dtype}, {Name: "y", Op: "f0", Input: []string{"x"}}}
	for i := range n {
		nodes, ret := []*wire.NodeDef{{Name: "a", Op: fmt.Sprint("f", i+1), Input: []string{"x"}}}, "a:z:0"
		if i == n-1 {
			nodes, ret = nil, "x"
		}
		def.Library.Function = append(def.Library.Function, &wire.FunctionDef{
			Signature: &wire.OpDef{
				Name:      fmt.Sprint("f", i),
				InputArg:  []*wire.OpDef_ArgDef{{Name: "x", Type: wire.DataType_DT_INT32}},
				OutputArg: []*wire.OpDef_ArgDef{{Name: "z", Type: wire.DataType_DT_INT32}},
			},
			NodeDef: nodes, Ret: map[string]string{"z": ret},
		})
	}
	b, err := proto.Marshal(def)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A context that ends while the shapes of calls are inferred ends the import, and what
// is imported again has them.
func TestImportStopsWithinCalls(t *testing.T) {
	def := chainOfCalls(t, 3000)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	g := graph.New()
	_, err := g.ImportGraphDefContext(ctx, def, graph.ImportOptions{})
	if status.CodeOf(err) != status.DeadlineExceeded {
		t.Fatal(err)
	}
	if g.NumNodes() != 0 {
		t.Errorf("%d nodes stay", g.NumNodes())
	}
	if _, err := g.ImportGraphDefContext(t.Context(), def, graph.ImportOptions{}); err != nil {
		t.Error(err)
	}
}

// A context that ends while the attributes of one node are read ends the import.
func TestImportStopsWithinAttributes(t *testing.T) {
	n := &wire.NodeDef{Name: "n", Op: "NoOp", Attr: map[string]*wire.AttrValue{}}
	for i := range 20_000 {
		n.Attr[fmt.Sprintf("_%d", i)] = &wire.AttrValue{Value: &wire.AttrValue_I{I: int64(i)}}
	}
	def, err := proto.Marshal(&wire.GraphDef{Node: []*wire.NodeDef{n}, Versions: &wire.VersionDef{Producer: 1882}})
	if err != nil {
		t.Fatal(err)
	}
	looks := 0
	for at := 1; ; at *= 2 { // the context ends when it is asked for the at-th time
		c := &askedContext{Context: t.Context(), left: at}
		g := graph.New()
		_, err := g.ImportGraphDefContext(c, def, graph.ImportOptions{})
		if err == nil {
			break
		}
		looks = at
		if status.CodeOf(err) != status.Canceled || g.NumNodes() != 0 {
			t.Fatalf("after %d looks: %v, %d nodes", at, err, g.NumNodes())
		}
	}
	if looks < 64 { // of 20,000 entries, and of some hundred thousand comparisons
		t.Errorf("an import of 20,000 attributes looks at its context fewer than %d times", 2*looks)
	}
}

// An askedContext ends when it has been asked some times whether it has.
type askedContext struct {
	context.Context
	left int
}

func (c *askedContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
