package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	savedmodel "github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A picture is a graph in the midst of a run, for Graphviz.
type picture struct {
	live, dead map[string]int // how often a node has acted, alive and dead
	step       *nodes.Step
	program    *nodes.Program
	tag        string             // the iteration that is played
	after      int                // nodes have acted
	running    bool               // some node must be seen to act
	starts     []savedmodel.Start // of a SavedModel: what brings it into the state that was saved
	files      *files.Policy
}

// mostActs is how far a run is followed to find its middle.
const mostActs = 20_000

// picture draws the run that the flags name.
func (f *plannedFlags) picture(cmd *cobra.Command, path string, after int) error {
	m, err := loadModel(cmd, path)
	if err != nil {
		return failure{err}
	}
	if f.signature != "" && m.folder == "" {
		return fmt.Errorf("--signature %s needs a SavedModel", f.signature)
	}
	p := &picture{}
	names := &benchFlags{feeds: f.feeds, fetches: f.fetches, targets: f.targets, signature: f.signature}
	b := &bench{}
	switch {
	case m.folder != "":
		loaded, err := savedmodel.Load(m.folder, m.tags, &session.SessionOptions{Files: new(fileFlags).policy(m)})
		if err != nil {
			return failure{err}
		}
		if err := loaded.Session.Close(); err != nil {
			return failure{err}
		}
		m.graph, p.starts, p.files = loaded.Graph, loaded.Starts, new(fileFlags).policy(m)
		if len(f.fetches)+len(f.targets) == 0 {
			if names.signature, err = shownSignature(loaded.Signatures, f.signature); err != nil {
				return err
			}
			if err := names.bySignature(b, &troupe.SavedModel{Graph: loaded.Graph, Signatures: loaded.Signatures}); err != nil {
				return err
			}
		}
	case m.script != nil && !f.named():
		if err := names.byScript(b, m); err != nil {
			return err
		}
	}
	if err := names.byName(b, m.graph); err != nil {
		return err
	}
	var feeds []tensor.Value
	for _, made := range b.make {
		t, err := made()
		if err != nil {
			return failure{err}
		}
		feeds = append(feeds, tensor.ValueOf(t))
	}
	spec := compile.Spec{Feeds: b.feeds, Fetches: b.fetches, Targets: b.targets, NoUnits: true}
	ctx := cmd.Context()
	if p.program, err = compile.Graph(ctx, m.graph, spec); err != nil {
		return failure{err}
	}
	if after <= 0 {
		if after, err = p.play(ctx, feeds, mostActs, nil); err != nil {
			return failure{err}
		}
		after /= 2
		p.running = true
	}
	_, err = p.play(ctx, feeds, after, func() { p.write(cmd.OutOrStdout(), p.drawn(m.graph)) })
	if err != nil {
		return failure{err}
	}
	return nil
}

// drawn returns the graph that is drawn: with functions in place of what calls them, if
// there are any.
func (p *picture) drawn(g *troupe.Graph) *troupe.Graph {
	for _, def := range p.program.Nodes() {
		if def != nil && def.Graph() != g {
			return def.Graph()
		}
	}
	return g
}

// resources is variables and tables as the model has them that was saved.
func (p *picture) resources(ctx context.Context) (*resource.Manager, error) {
	m := resource.NewManager()
	for _, start := range p.starts {
		spec := compile.Spec{Targets: []*graph.Node{start.Target}}
		var feeds []tensor.Value
		for o, t := range start.Feeds {
			spec.Feeds, feeds = append(spec.Feeds, o), append(feeds, tensor.ValueOf(t))
		}
		program, err := compile.Graph(ctx, start.Target.Graph(), spec)
		if err != nil {
			return nil, err
		}
		if err := sequential.New(nil).Run(p.shared(ctx, m), program, feeds, nil); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// shared returns what the kernels of a step share.
func (p *picture) shared(ctx context.Context, m *resource.Manager) *kernel.Step {
	return &kernel.Step{Context: ctx, Resources: m, PerStep: resource.NewManager(), Pool: alone{}, Files: p.files, Seed: 1}
}

// alone is the pool of a run that is drawn.
type alone struct{}

func (alone) Parallel(n, _ int, f func(lo, hi int)) { f(0, n) }
func (alone) Workers() int                          { return 1 }
func (alone) Expect(time.Duration)                  {}

// play runs a graph, a node at a time, until so many have acted, calls then, and returns
// how many have. Of a running picture it waits for the next node with a kernel, so that
// one is seen to act.
func (p *picture) play(ctx context.Context, feeds []tensor.Value, most int, then func()) (int, error) {
	p.live, p.dead, p.after = map[string]int{}, map[string]int{}, 0
	m, err := p.resources(ctx)
	if err != nil {
		return 0, err
	}
	defer m.Clear()
	next := -1
	one := func(int) int { // the oldest, and then none
		i := next
		next = -1
		return i
	}
	p.step = p.program.Begin(p.shared(ctx, m), feeds, nodes.Options{Order: one, Trace: func(e nodes.Event) {
		p.after++
		p.tag = e.Tag
		if e.Dead {
			p.dead[e.Node]++
		} else {
			p.live[e.Node]++
		}
	}})
	drawn, ended := false, false
	draw := func(runs bool) {
		if p.after < most || ended || then == nil && p.after < mostActs {
			return
		}
		if then != nil && p.running && !runs {
			return
		}
		if ended = true; then != nil {
			drawn = true
			then()
		}
		p.step.Abort(status.Errorf(status.Aborted, "it has been drawn"))
	}
	for p.step.Ready() > 0 {
		next = 0
		a := p.step.Next()
		draw(a != nil)
		if a == nil {
			continue
		}
		if a.Async() || a.Calls() {
			p.step.Complete(a, status.Errorf(status.Unimplemented, "--picture cannot draw a run that waits or calls functions"))
			continue
		}
		p.step.Complete(a, a.Run())
		draw(false)
	}
	err = p.step.End(make([]tensor.Value, len(p.program.Fetches())))
	if err != nil && status.CodeOf(err) != status.Aborted {
		return 0, err
	}
	if then != nil && !drawn {
		return 0, status.Invalid("--after %d: the run ends after %s", most, count(p.after, "act"))
	}
	return p.after, nil
}

// Colors and lines of the picture.
const (
	colorActed = "#4a6fa5" // border of what has acted
	colorNow   = "#d9730d" // what acts now, and tokens on their way
	colorDead  = "#9aa0a6"
)

// write writes the picture in Graphviz's language.
func (p *picture) write(w io.Writer, g *troupe.Graph) {
	o, _ := newOutline(g) // whose frames Compile has told apart
	fmt.Fprintln(w, `digraph {
	rankdir=TB; nodesep=0.15; ranksep=0.22; fontname="sans-serif"; fontsize=13
	node [shape=box, style=rounded, fontname="sans-serif", fontsize=12, height=0.3, margin="0.07,0.03", color="`+colorDead+`", fontcolor="#555555"]
	edge [arrowsize=0.6, color="#7f8790", fontname="sans-serif", fontsize=11]`)
	open := 0
	o.frames[0].walk(func(b *box, depth int) {
		if depth > 0 {
			open++
			fmt.Fprintf(w, "\tsubgraph cluster_%d {\n\tlabel=<<b>frame %s</b>, iteration %d>; labeljust=l; labelloc=b; margin=10; style=\"rounded,filled\"; color=\"#c3cfe2\"; fillcolor=\"#f6f8fc\"\n",
				open, escape(last(b.name)), p.iteration(b.name))
		}
		for _, s := range b.scopes {
			for _, n := range s.nodes {
				if !inline(n) {
					p.node(w, n)
				}
			}
		}
	}, func(_ *box, depth int) {
		if depth > 0 {
			fmt.Fprintln(w, "\t}")
		}
	})
	for _, n := range o.nodes {
		if !inline(n) {
			p.edges(w, n)
		}
	}
	p.legend(w)
	fmt.Fprintln(w, "}")
}

// inline reports whether a node is a small constant, written into those that take it.
func inline(n *graph.Node) bool {
	if constantText(n) == "" {
		return false
	}
	for _, c := range n.Output(0).Consumers() {
		if c.Op.Class() != graph.ClassOther {
			return false
		}
	}
	return len(n.Output(0).Consumers()) > 0
}

// last returns a name without its scopes.
func last(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// iteration returns the one that the frame is in, as far as the tag of what acted last says.
func (p *picture) iteration(frame string) int {
	n := 0
	if at := strings.LastIndex(p.tag, frame+"["); at >= 0 {
		fmt.Sscanf(p.tag[at+len(frame):], "[%d]", &n)
	}
	return n
}

// states returns what a node is doing, in all of its iterations alive.
func (p *picture) states(name string) []nodes.NodeState {
	if i := p.program.Node(name); i >= 0 {
		return p.step.ReportNode(i, 64).States
	}
	return nil
}

// node writes a node: darker, the more often it has acted.
func (p *picture) node(w io.Writer, n *graph.Node) {
	live, dead := p.live[n.Name()], p.dead[n.Name()]
	if mustBeFed(n) {
		live = p.live["_arg_"+n.Name()+":0"]
	}
	what := last(n.Name())
	if what != n.Type() && !strings.HasPrefix(what, n.Type()+"_") {
		what += " " + n.Type()
	}
	for _, in := range n.Inputs() {
		if inline(in.Op) {
			what += " " + constantText(in.Op)
		}
	}
	var counts []string
	if live > 0 {
		counts = append(counts, fmt.Sprintf("%d×", live))
	}
	if dead > 0 {
		counts = append(counts, fmt.Sprintf("dead %d×", dead))
	}
	if len(counts) > 0 {
		what += "  " + strings.Join(counts, ", ")
	}
	style := ""
	if live > 0 {
		style = fmt.Sprintf(`, style="rounded,filled", color="%s", fontcolor="#1b2a41", fillcolor="0.6 %.2f 1.0"`, colorActed, 0.04+0.26*float64(min(live, 12))/12)
	} else if dead > 0 {
		style = `, style="rounded,dashed"`
	}
	if slices.ContainsFunc(p.states(n.Name()), func(s nodes.NodeState) bool { return s.Running }) {
		style = fmt.Sprintf(`, style="rounded,filled", penwidth=2, color="%s", fontcolor="#1b2a41", fillcolor="#ffe3c2"`, colorNow)
	}
	fmt.Fprintf(w, "\t%q [label=%q%s]\n", n.Name(), what, style)
}

// edges writes the edges to a node: those that have a token for it stand out.
func (p *picture) edges(w io.Writer, n *graph.Node) {
	arrived := map[string]nodes.Arrival{}
	for _, s := range p.states(n.Name()) { // the latest comes last, but for what waits
		for _, in := range s.Inputs {
			if arrived[in.From] != nodes.Live {
				arrived[in.From] = in.State
			}
		}
	}
	write := func(from *graph.Node, name string, style ...string) {
		switch arrived[name] {
		case nodes.Live:
			style = append(style, "penwidth=2.2", fmt.Sprintf("color=%q", colorNow))
		case nodes.Dead:
			style = append(style, "style=dotted", fmt.Sprintf("color=%q", colorDead))
		}
		fmt.Fprintf(w, "\t%q -> %q [%s]\n", from.Name(), n.Name(), strings.Join(style, ", "))
	}
	for i, in := range n.Inputs() {
		if inline(in.Op) {
			continue
		}
		var style []string
		if n.IsBackEdge(i) {
			style = append(style, "constraint=false")
		}
		write(in.Op, in.String(), style...)
	}
	for _, c := range n.Controls() {
		if inline(c) {
			continue
		}
		write(c, "^"+c.Name(), "style=dashed", "arrowhead=open")
	}
}

// legend says what the picture means.
func (p *picture) legend(w io.Writer) {
	rows := []struct{ mark, text string }{
		{fmt.Sprintf("<font color=%q>▆</font>", "#b9cdec"), "has acted, ×: how often; darker: more often"},
		{fmt.Sprintf("<font color=%q>▆</font>", colorNow), "acts now"},
		{fmt.Sprintf("<font color=%q>━▶</font>", colorNow), "a token has come and waits"},
		{fmt.Sprintf("<font color=%q>┄▶</font>", colorDead), "dead: a branch not taken"},
	}
	fmt.Fprintf(w, "\tlegend [shape=none, margin=0, fontcolor=\"#333333\", label=<<table border=\"0\" cellspacing=\"2\" cellpadding=\"1\"><tr><td colspan=\"2\" align=\"left\"><b>a run after %s</b></td></tr>",
		count(p.after, "act"))
	for _, r := range rows {
		fmt.Fprintf(w, "<tr><td>%s</td><td align=\"left\">%s</td></tr>", r.mark, r.text)
	}
	fmt.Fprintln(w, "</table>>]")
}
