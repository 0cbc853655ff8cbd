package form_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit"
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// TestGolden runs testdata. Commands are
//
//	graph                                  takes the graph in text form that the commands below it are about
//	form feed=(x,…) fetch=(y,z:1,…) target=(t,…) frame=L
//	                                       the form of a frame's unit, or why there is none; without frame, the program's
//	buffers …                              the plan of its memory
//	islands …                              the values that are certainly scalars in it, if others are
//	code …                                 the instructions
//
// form, islands and code may bring a graph of their own. Every form is verified
// and simulated.
func TestGolden(t *testing.T) {
	goldens(t, func(t *testing.T, d *datadriven.TestData, g *graph.Graph) string {
		c, frame, err := compiler(g, d)
		if err != nil {
			return err.Error() + "\n"
		}
		c.Check = true
		f, reason, err := c.Form(frame)
		if err != nil {
			t.Errorf("%s: %v", d.Pos, err)
		}
		if f == nil {
			return "no unit: " + reason + "\n"
		}
		if err := simulate(f, rand.New(rand.NewPCG(0, 0))); err != nil {
			t.Errorf("%s: %v", d.Pos, err)
		}
		switch d.Cmd {
		case "form":
			return f.String()
		case "islands":
			return f.Islands()
		case "buffers":
			return f.Buffers().String()
		case "code":
			u, _, err := c.Compile(frame)
			if err != nil {
				return err.Error() + "\n"
			}
			return u.String()
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
}

// TestGivenUpIsland holds that scalars have registers as long as these suffice
// for those needed at a time: beyond, kernels are called for all of them.
func TestGivenUpIsland(t *testing.T) {
	for _, c := range []struct {
		scalars int
		island  bool
	}{{250, true}, {260, false}} {
		text := "x = Placeholder() {dtype=DT_FLOAT}\n"
		for i := range c.scalars {
			text += fmt.Sprintf("y%d = Neg(x)\n", i)
		}
		text += "s1 = AddV2(y0, y1)\n"
		for i := 2; i < c.scalars; i++ {
			text += fmt.Sprintf("s%d = AddV2(s%d, y%d)\n", i, i-1, i)
		}
		g := graph.New()
		if err := notation.Add(g, text); err != nil {
			t.Fatal(err)
		}
		last := fmt.Sprint("s", c.scalars-1)
		d := &datadriven.TestData{CmdArgs: []datadriven.CmdArg{{Key: "feed", Vals: []string{"x"}}, {Key: "fetch", Vals: []string{last}}}}
		compiler, _, err := compiler(g, d)
		if err != nil {
			t.Fatal(err)
		}
		u, reason, err := compiler.Compile(0)
		if u == nil {
			t.Fatal(reason, err)
		}
		code := u.String()
		calls, island := strings.Count(code, "\tcall "), strings.Contains(code, "\tenter ")
		if want := 2*c.scalars - 1; calls != want || island != c.island {
			t.Errorf("%d scalars at a time: %d calls, island %v; want %d, %v", c.scalars, calls, island, want, c.island)
		}
	}
}

// goldens calls do for the commands of testdata.
func goldens(t *testing.T, do func(t *testing.T, d *datadriven.TestData, g *graph.Graph) string) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var g *graph.Graph
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Input != "" {
				g = graph.New()
				if err := notation.Add(g, d.Input); err != nil {
					return err.Error() + "\n"
				}
			}
			if d.Cmd == "graph" {
				return ""
			}
			return do(t, d, g)
		})
	})
}

// goldenForms calls do with the forms in testdata.
func goldenForms(t *testing.T, do func(label string, f *form.Form)) {
	goldens(t, func(t *testing.T, d *datadriven.TestData, g *graph.Graph) string {
		if c, frame, err := compiler(g, d); d.Cmd == "form" && err == nil {
			if f, _, _ := c.Form(frame); f != nil {
				do(d.Pos, f)
			}
		}
		return d.Expected
	})
}

// compiler returns the compiler of the program that a command asks for.
func compiler(g *graph.Graph, d *datadriven.TestData) (c *unit.Compiler, frame int32, err error) {
	var spec nodes.Spec
	name := ""
	for _, arg := range d.CmdArgs {
		for _, v := range arg.Vals {
			if arg.Key == "frame" {
				name = v
				continue
			}
			id := graph.ParseTensorID(v)
			if arg.Key == "target" {
				id.Index = graph.Control
			}
			o, err := g.FindID(id)
			if err != nil {
				return nil, 0, err
			}
			switch arg.Key {
			case "feed":
				spec.Feeds = append(spec.Feeds, o)
			case "fetch":
				spec.Fetches = append(spec.Fetches, o)
			case "target":
				spec.Targets = append(spec.Targets, o.Op)
			default:
				return nil, 0, fmt.Errorf("unknown argument %q", arg.Key)
			}
		}
	}
	p, err := nodes.Compile(context.Background(), g, spec)
	if err != nil {
		return nil, 0, err
	}
	flow := p.Flow()
	for i, f := range flow.Frames {
		if strings.HasSuffix(f.Name, name) && name != "" {
			frame = int32(i)
		}
	}
	return unit.NewCompiler(flow, nil), frame, nil
}
