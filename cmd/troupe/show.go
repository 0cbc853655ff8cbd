package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/client"
)

func showCommand() *cobra.Command {
	f := showFlags{format: "text"}
	cmd := &cobra.Command{
		Use:   "show MODEL",
		Short: "Print or draw the structure of a model",
		Long: `Show prints the structure of a model.

Of a SavedModel it lists the signatures with their inputs and outputs, then the layers
that serving_default, or the signature that --signature names, runs, with operations
and parameters of each. A layer is the operations that share a name scope. --nodes
lists all nodes instead.

Of a GraphDef it lists the nodes: operation, inputs, types and shapes of the outputs,
small constants. Nodes are grouped by frame (usually a loop) and name scope; a frame is
a box inside the frame from which it is entered. Function bodies follow.

Of a checkpoint (its .index file, its prefix, or its folder) it lists the tensors.

Views of a run, of the feeds, fetches and targets given as for "troupe run" (the VALUE
of a feed may be omitted), of a signature, or of a case's steps:
  --units      the code into which the engine "actors" compiles the run or its loops,
               and for each other loop why it is not compiled; of values whose shapes
               are known, the memory and which share a place; with --passes the code
               after that pass of those that make units
  --batching   for each loop the variables along which it is run in batches with that of
               other steps (SessionOptions.BatchLoops), for each call of a recursive
               function the stages that are run in batches, or why they are not
  --rewritten  the graph after the passes of --rewrite, function calls replaced by
               their bodies, with the nodes that each pass removed
  --passes     the graph after the compiler pass that is named; all: after each pass
               that changed it
  --devices    the device of each node, and the edges between devices; with --rewritten
               the graph as it is split, with its send and receive nodes
  --picture    a drawing of the run, halfway through or after --after N activations:
               how often each node has run, which fire next, which tokens wait. Numeric
               inputs that are not fed get made-up values

Of a model that a server has it lists the signatures.

On a terminal text has colours, unless NO_COLOR is in the environment, and long lines are
continued below; elsewhere, and with --plain, neither.

--picture and --format dot print the input of Graphviz.

--web writes a page for a browser: the graph in boxes that unfold, with search, types,
attributes, documentation and values of constants; of a SavedModel it lists the signatures,
and opens with what the first runs. With --fetch, --target or --signature the page also
has the graph of that run after the passes of --rewrite, and after each of them, with new
nodes marked, what each pass saved, and the units, or why a loop is none. --values
restores a SavedModel, and shows its variables as numbers and histograms.

` + modelHelp + addressHelp,
		Example: `  troupe show my_model
  troupe show http://localhost:8501/v1/models/digits
  troupe show my_model --format dot | dot -Tsvg > layers.svg
  troupe show my_model --web model.html
  troupe show model.pb --web model.html --feed x --fetch y
  troupe show model.pb
  troupe show conformance/testdata/control.zip/while_nested_two
  troupe show model.pb --format dot | dot -Tsvg > model.svg
  troupe show loop.pb --units --feed n --fetch while/Exit
  troupe show conformance/testdata/control.zip/while_nested_two --units
  troupe show my_model --batching
  troupe show model.pb --rewritten --feed x --fetch y
  troupe show model.pb --passes fold --feed x --fetch y
  troupe show model.pb --devices 2 --feed x --fetch y
  troupe show loop.pb --picture --feed n=10 --fetch while/Exit | dot -Tsvg > run.svg`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cmd.Flags().StringVar(&f.format, "format", f.format, "print as `FORMAT`: text, or dot for Graphviz")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "print lines as long as they are and without colours on a terminal, too")
	cmd.Flags().BoolVar(&f.nodes, "nodes", false, "list or draw all nodes of a SavedModel instead of its layers")
	cmd.Flags().StringVar(&f.units, "units", "", "show the code of compiled loops and programs (units), and why other loops are not compiled; with a value: compiled with these `PASSES`, such as -chain,-band")
	cmd.Flags().Lookup("units").NoOptDefVal = "default"
	cmd.Flags().BoolVar(&f.batching, "batching", false, "show for each loop of a run whether it is batched with that of other steps, or why not")
	cmd.Flags().BoolVar(&f.rewritten, "rewritten", false, "show the graph of a run after rewriting, and what each pass removed")
	cmd.Flags().StringVar(&f.passes, "passes", "", "show the graph of a run after the compiler pass `NAME`; all: after each pass that changed it")
	cmd.Flags().BoolVar(&f.values, "values", false, "with --web, restore a SavedModel's variables, and show them as numbers and histograms")
	cmd.Flags().StringVar(&f.web, "web", "", "write a page for a browser to `FILE`, which shows the graph and loads nothing else")
	cmd.Flags().BoolVar(&f.picture, "picture", false, "draw a run for Graphviz: how often each node has run, which fire next, which tokens wait")
	cmd.Flags().IntVar(&f.after, "after", 0, "with --picture: draw the run after `N` activations of nodes; 0 is half of the run")
	f.plannedFlags.add(cmd)
	f.remote.add(cmd.Flags())
	return cmd
}

// showFlags are those of "troupe show".
type showFlags struct {
	plannedFlags
	remote       remoteFlags
	format       string
	plain, nodes bool
	rewritten    bool
	batching     bool
	picture      bool
	after        int
	passes       string
	web          string // the file of a page
	values       bool
}

func (f *showFlags) run(cmd *cobra.Command, name string) error {
	if !f.plain && !f.picture && f.format == "text" && f.web == "" {
		defer paint(cmd)()
	}
	if client.IsAddress(name) {
		return f.remote.show(cmd, name, f.signature)
	}
	if err := onlyRemote(cmd, name); err != nil {
		return err
	}
	if f.picture {
		return f.plannedFlags.picture(cmd, name, f.after)
	}
	if f.after != 0 {
		return fmt.Errorf("--after needs --picture")
	}
	if f.web != "" {
		return f.plannedFlags.web(cmd, name, f.web, f.values)
	}
	if f.form = f.view(cmd.Context()); f.form != nil {
		return f.show(cmd, name)
	}
	if f.named() || f.rewrite != "" {
		return fmt.Errorf("--feed, --fetch, --target and --rewrite need --units, --batching, --rewritten, --passes, --devices, --picture or --web")
	}
	return f.structure(cmd, name)
}

// view returns what writes the view of a run that the flags ask for, or nil.
func (f *showFlags) view(ctx context.Context) func(w io.Writer, c *troupe.Callable) error {
	switch {
	case f.passes != "" && f.units != "":
		return func(w io.Writer, c *troupe.Callable) error { return writeUnitPasses(ctx, w, c, f.passes) }
	case f.passes != "":
		return func(w io.Writer, c *troupe.Callable) error { return writePasses(ctx, w, c, f.passes) }
	case f.batching:
		return func(w io.Writer, c *troupe.Callable) error { return writeBatching(ctx, w, c) }
	case f.rewritten:
		return func(w io.Writer, c *troupe.Callable) error { return writeRewritten(ctx, w, c) }
	case f.units != "":
		return func(w io.Writer, c *troupe.Callable) error { return writePlan(ctx, w, c) }
	case f.places.given():
		return func(w io.Writer, c *troupe.Callable) error { return writeDevices(ctx, w, c) }
	}
	return nil
}

// structure prints a checkpoint, or a model without regard to runs.
func (f *showFlags) structure(cmd *cobra.Command, name string) error {
	write := writeText
	switch f.format {
	case "text":
	case "dot":
		write = writeDot
	default:
		return fmt.Errorf("unknown --format %s: use text or dot", f.format)
	}
	if prefix, ok := checkpointAt(name); ok {
		if err := writeCheckpoint(cmd.OutOrStdout(), prefix); err != nil {
			return failure{err}
		}
		return nil
	}
	m, err := loadModel(cmd, name)
	if err != nil {
		return failure{err}
	}
	w := bufio.NewWriter(cmd.OutOrStdout())
	if f.signature != "" && (m.folder == "" || f.nodes) {
		return fmt.Errorf("--signature %s needs a SavedModel, and excludes --nodes", f.signature)
	}
	if f.format == "text" {
		writeSignatures(w, m.saved)
	}
	if m.folder != "" && !f.nodes {
		if written, err := m.writeLayers(cmd, w, f.signature, f.format); written || err != nil {
			return errors.Join(err, w.Flush())
		}
	}
	o, err := newOutline(m.graph)
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "troupe: frames cannot be determined:", err)
	}
	var bodies []*outline
	for _, in := range instancesOf(m.graph) {
		if in.err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "troupe: function %s cannot be shown: %s\n", in.title, in.problem())
			continue
		}
		body, _ := newOutline(in.body.Graph) // whose frames have been checked
		body.name, body.title = in.title+"/", "function "+in.title
		bodies = append(bodies, body)
	}
	write(w, o, bodies)
	return w.Flush()
}

// writeLayers writes what a signature of a SavedModel runs, by layers, and how much there
// is besides; nothing if no signature computes.
func (m *model) writeLayers(cmd *cobra.Command, w io.Writer, key, format string) (written bool, err error) {
	l, err := m.layersOf(cmd.Context(), key)
	switch {
	case err != nil && (key != "" || format != "text"):
		return false, failure{err}
	case err != nil: // an operation without a kernel, say: the rest is still known
		fmt.Fprintln(cmd.ErrOrStderr(), "troupe:", err)
	case l == nil:
		return false, nil
	case format == "dot":
		l.writeDot(w)
		return true, nil
	default:
		if err := l.write(w); err != nil {
			return false, failure{err}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s and %s in all; --nodes lists them\n", count(m.graph.NumNodes(), "node"), count(len(instancesOf(m.graph)), "function"))
	return true, nil
}

// writeText draws frames as boxes around indented lists, and bodies of functions
// under a heading.
func writeText(w io.Writer, o *outline, bodies []*outline) {
	fmt.Fprintf(w, "%s, %s: %s\n", count(len(o.nodes), "node"), count(len(o.frames)-1, "frame"), o.kinds())
	writeBox(w, o.frames[0], "")
	for _, b := range bodies {
		fmt.Fprintf(w, "\n%s: %s, %s\n", plain.Line(b.title), count(len(b.nodes), "node"), count(len(b.frames)-1, "frame"))
		writeBox(w, b.frames[0], "  ")
	}
}

// count is "1 node" or "2 nodes".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// maxMargin is how deep within one another frames are drawn further in: a graph may
// have any number.
const maxMargin = 32

// walk visits a box and those within it: enter before them and leave after. depth
// is how many boxes it is in.
func (b *box) walk(enter, leave func(b *box, depth int)) {
	type visit struct {
		b    *box
		next int // of those within
	}
	open := []visit{{b: b}}
	enter(b, 0)
	for len(open) > 0 {
		v := &open[len(open)-1]
		if v.next == len(v.b.within) {
			leave(v.b, len(open)-1)
			open = open[:len(open)-1]
			continue
		}
		in := v.b.within[v.next]
		v.next++
		enter(in, len(open))
		open = append(open, visit{b: in})
	}
}

// writeBox draws a box, of which the outermost has no border.
func writeBox(w io.Writer, b *box, margin string) {
	at := func(depth int) string { return margin + strings.Repeat("│ ", min(depth, maxMargin)) }
	b.walk(func(b *box, depth int) {
		if depth > 0 {
			fmt.Fprintf(w, "%s┌─ %s\n", at(depth-1), b.title())
		}
		writeScopes(w, b, at(depth))
	}, func(_ *box, depth int) {
		if depth > 0 {
			fmt.Fprintf(w, "%s└─\n", at(depth-1))
		}
	})
}

// writeScopes lists the nodes of a frame.
func writeScopes(w io.Writer, b *box, margin string) {
	for _, s := range b.scopes {
		indent := margin
		if s.name != "" {
			fmt.Fprintf(w, "%s%s\n", margin, s.name)
			indent += "  "
		}
		for _, n := range s.nodes {
			fmt.Fprintf(w, "%s%s\n", indent, describe(n, strings.TrimPrefix(n.Name(), s.name)))
		}
	}
}

// writeDot writes the graph in Graphviz's language: frames, scopes and bodies of
// functions as clusters, control edges dashed, back edges of loops bold.
func writeDot(w io.Writer, o *outline, bodies []*outline) {
	d := dotWriter{w: w}
	fmt.Fprintf(w, "digraph {\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\"]\n")
	d.outline(o, "\t")
	for _, b := range bodies {
		d.begin("\t", b.title, "color=gray")
		d.outline(b, "\t\t")
		fmt.Fprintln(w, "\t}")
	}
	fmt.Fprintln(w, "}")
}

type dotWriter struct {
	w        io.Writer
	prefix   string // of nodes, which are named by graph and name
	clusters int
}

// outline writes the nodes of an outline, and the edges between them.
func (d *dotWriter) outline(o *outline, indent string) {
	d.prefix = o.name
	d.cluster(o.frames[0], indent)
	for _, n := range o.nodes {
		for i, in := range n.Inputs() {
			var attrs []string
			if in.Index > 0 {
				attrs = append(attrs, fmt.Sprintf("taillabel=%q", fmt.Sprint(in.Index)))
			}
			if len(n.Inputs()) > 1 {
				attrs = append(attrs, fmt.Sprintf("headlabel=%q", fmt.Sprint(i)))
			}
			if in.Op.Class() == graph.ClassNextIteration {
				attrs = append(attrs, "style=bold", "constraint=false")
			}
			d.edge(in.Op, n, indent, attrs)
		}
		for _, c := range n.Controls() {
			d.edge(c, n, indent, []string{"style=dashed"})
		}
	}
}

func (d *dotWriter) edge(from, to *graph.Node, indent string, attrs []string) {
	text := ""
	if len(attrs) > 0 {
		text = " [" + strings.Join(attrs, ", ") + "]"
	}
	fmt.Fprintf(d.w, "%s%q -> %q%s\n", indent, d.prefix+from.Name(), d.prefix+to.Name(), text)
}

// begin begins a cluster.
func (d *dotWriter) begin(indent, label, style string) {
	d.clusters++
	fmt.Fprintf(d.w, "%ssubgraph cluster_%d {\n%s\tlabel=%q; %s\n", indent, d.clusters, indent, label, style)
}

// cluster writes a frame and those within it.
func (d *dotWriter) cluster(b *box, indent string) {
	at := func(depth int) string { return indent + strings.Repeat("\t", min(depth, maxMargin)) }
	b.walk(func(b *box, depth int) {
		if depth > 0 {
			d.begin(at(depth-1), b.title(), "color=blue")
		}
		d.scopes(b, at(depth))
	}, func(_ *box, depth int) {
		if depth > 0 {
			fmt.Fprintf(d.w, "%s}\n", at(depth-1))
		}
	})
}

func (d *dotWriter) scopes(b *box, indent string) {
	for _, s := range b.scopes {
		in := indent
		if s.name != "" {
			d.begin(indent, s.name, "style=dotted")
			in += "\t"
		}
		for _, n := range s.nodes {
			label := strings.TrimPrefix(n.Name(), s.name) + "\n" + n.Type()
			fmt.Fprintf(d.w, "%s%q [label=%q]\n", in, d.prefix+n.Name(), label)
		}
		if s.name != "" {
			fmt.Fprintf(d.w, "%s}\n", indent)
		}
	}
}
