package conformance

import (
	"context"
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Cases of graphs on several devices hold the pieces that TensorFlow made of them. What
// must be equal is described by lines, of ours and of theirs: which nodes are in which
// piece, with where their inputs come from; what crosses, with its type and what sets it
// off; and the control loops. Names that were generated do not occur in them.

// comparePartitions compares the pieces of the case's first step with those recorded.
func (s *Script) comparePartitions(ctx context.Context, cfg Config) error {
	cfg.Rewrite = "none" // as it was recorded
	o, err := s.open(cfg)
	if err != nil {
		return err
	}
	defer o.close()
	feeds, fetches, targets, err := o.find(&s.Steps[0])
	if err != nil {
		return err
	}
	call, err := o.session.MakeCallableContext(ctx, feeds, fetches, targets)
	if err != nil {
		return err
	}
	pieces, err := call.Pieces(ctx)
	if err != nil {
		return err
	}
	ours := &pieced{original: o.graph}
	for _, p := range pieces {
		fetched := map[string]session.Output{}
		for i, at := range p.FetchAt {
			fetched[fetches[at].String()] = p.Fetches[i]
		}
		fed := map[*graph.Node]string{}
		for i, at := range p.FeedAt {
			fed[p.Feeds[i].Op] = feeds[at].String()
		}
		ours.add(p.Device, p.Graph, fed, fetched)
	}
	theirs := &pieced{original: o.graph}
	for device, file := range s.Partitions {
		if err := theirs.read(s.files, device, file); err != nil {
			return err
		}
	}
	got, err := ours.describe()
	if err != nil {
		return fmt.Errorf("the pieces: %w", err)
	}
	want, err := theirs.describe()
	if err != nil {
		return fmt.Errorf("the recorded pieces: %w", err)
	}
	var diffs []error
	for _, line := range without(want, got) {
		diffs = append(diffs, fmt.Errorf("the pieces lack: %s", line))
	}
	for _, line := range without(got, want) {
		diffs = append(diffs, fmt.Errorf("the pieces have, and TensorFlow's have not: %s", line))
	}
	return inOneLine(diffs)
}

// without returns the lines of a that b has not, each as often as it has it too often.
func without(a, b []string) (list []string) {
	count := map[string]int{}
	for _, line := range b {
		count[line]++
	}
	for _, line := range a {
		if count[line]--; count[line] < 0 {
			list = append(list, line)
		}
	}
	return list
}

// A pieced is a graph in pieces.
type pieced struct {
	original *session.Graph
	pieces   []piece
	sends    map[string]*graph.Node // by tensor_name
}

type piece struct {
	device  string
	graph   *session.Graph
	fed     map[*graph.Node]string    // by what stands for a feed: "x:0"
	fetched map[string]session.Output // by what is fetched
}

func (p *pieced) add(device string, g *session.Graph, fed map[*graph.Node]string, fetched map[string]session.Output) {
	p.pieces = append(p.pieces, piece{device, g, fed, fetched})
}

// read reads a piece that TensorFlow made, in which feeds are _Args and fetches _Retvals.
func (p *pieced) read(files fs.FS, device, file string) error {
	def, err := fs.ReadFile(files, file)
	if err != nil {
		return err
	}
	if def, err = importable(def); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	g := session.NewGraph()
	if err := g.Import(def, ""); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	fed, fetched := map[*graph.Node]string{}, map[string]session.Output{}
	for _, n := range g.Nodes() {
		switch n.Class() {
		case graph.ClassArg:
			fed[n] = edgeName(n.Name(), "._arg_")
		case graph.ClassRetval:
			fetched[edgeName(n.Name(), "._retval_")] = n.Inputs()[0]
		}
	}
	p.add(device, g, fed, fetched)
	return nil
}

// importable puts a dot before names that no graph may hold but those that TensorFlow
// makes: "_arg_x_0_2".
func importable(def []byte) ([]byte, error) {
	var g wire.GraphDef
	if err := proto.Unmarshal(def, &g); err != nil {
		return nil, err
	}
	dotted := func(name string) string {
		if rest, control := strings.CutPrefix(name, "^"); control && strings.HasPrefix(rest, "_") {
			return "^." + rest
		}
		if strings.HasPrefix(name, "_") {
			return "." + name
		}
		return name
	}
	for _, n := range g.Node {
		n.Name = dotted(n.Name)
		for i := range n.Input {
			n.Input[i] = dotted(n.Input[i])
		}
	}
	return proto.Marshal(&g)
}

// edgeName returns what a node "._arg_x_0_2" stands for: "x:0".
func edgeName(name, prefix string) string {
	parts := strings.Split(strings.TrimPrefix(name, prefix), "_")
	k := len(parts)
	return strings.Join(parts[:k-2], "_") + ":" + parts[k-2]
}

// describe returns the lines, sorted. It fails where the pieces contradict themselves.
func (p *pieced) describe() ([]string, error) {
	p.sends = map[string]*graph.Node{}
	received := map[string]bool{}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, piece := range p.pieces {
		for _, n := range piece.graph.Nodes() {
			if n.Class() != graph.ClassSend {
				continue
			}
			name := attr(n, "tensor_name")
			if p.sends[name] != nil {
				return nil, status.Invalid("two sends of %s", name)
			}
			p.sends[name] = n
			if at := attr(n, "send_device"); at != piece.device {
				return nil, status.Invalid("%s on %s sends from %s", n.Name(), piece.device, at)
			}
		}
	}
	for _, piece := range p.pieces {
		at := piece.device[strings.LastIndex(piece.device, "device:")+7:]
		for _, n := range piece.graph.Nodes() {
			switch {
			case n.Class() == graph.ClassRecv:
				name := attr(n, "tensor_name")
				send := p.sends[name]
				switch {
				case send == nil || received[name]:
					return nil, status.Invalid("%s of %s: not sent, or received twice", n.Name(), name)
				case attr(n, "recv_device") != piece.device || attr(send, "recv_device") != piece.device || attr(n, "send_device") != attr(send, "send_device"):
					return nil, status.Invalid("%s and %s do not agree where they are", n.Name(), send.Name())
				}
				received[name] = true
				add("%s receives %s as %v%s, ended by the client: %v and %v", at, p.source(&piece, n.Output(0)), n.OutputTypes()[0], p.controls(&piece, n, true), n.Attrs().Find("client_terminated").B, send.Attrs().Find("client_terminated").B)
			case n.Class() == graph.ClassEnter && !p.known(n):
				for e := range n.Out() {
					add("%s has %s, entered with %s, decided by %s", at, p.source(&piece, n.Output(0)), p.seed(&piece, n), p.decided(&piece, e.To.Op))
				}
			case p.known(n) && n.Class() != graph.ClassArg && piece.fed[n] == "":
				var in []string
				for _, o := range n.Inputs() {
					in = append(in, p.source(&piece, o))
				}
				add("%s: %s = %s(%s)%s", at, constantOf(n.Name()), n.Type(), strings.Join(in, ", "), p.controls(&piece, n, false))
			}
		}
		for _, fetch := range sorted.Keys(piece.fetched) {
			add("%s: fetches %s from %s", at, fetch, p.source(&piece, piece.fetched[fetch]))
		}
	}
	if len(received) != len(p.sends) {
		return nil, status.Invalid("%d sends, but %d receives", len(p.sends), len(received))
	}
	sort.Strings(lines)
	return lines, nil
}

// known reports whether a node is one of the original graph, or a copy of its constant.
func (p *pieced) known(n *graph.Node) bool {
	o := p.original.Operation(constantOf(n.Name()))
	return o != nil && o.Type() == n.Type()
}

// constantOf returns the name of the constant that a replica is of.
func constantOf(name string) string {
	if i := strings.Index(name, "/replicate/"); i >= 0 {
		return name[:i]
	}
	return name
}

// source reports where a value comes from.
func (p *pieced) source(at *piece, o session.Output) string {
	n := o.Op
	switch {
	case at != nil && at.fed[n] != "":
		return "feed " + at.fed[n]
	case n.Class() == graph.ClassArg:
		return "feed " + edgeName(n.Name(), "._arg_")
	case n.Class() == graph.ClassRecv:
		send := p.sends[attr(n, "tensor_name")]
		if send == nil {
			return "nothing"
		}
		from := send.Inputs()[0]
		for i := range p.pieces {
			if p.pieces[i].graph == from.Op.Graph() {
				at = &p.pieces[i]
			}
		}
		if c := from.Op; c.Class() == graph.ClassConstant && !p.known(c) && len(c.Controls()) == 1 {
			return "^" + p.source(at, c.Controls()[0].Output(0))
		}
		return p.source(at, from)
	case p.known(n):
		return constantOf(n.Name()) + ":" + fmt.Sprint(o.Index)
	case n.Class() == graph.ClassEnter:
		return "control loop of " + n.FrameName()
	case n.Class() == graph.ClassMerge:
		return p.source(at, n.Inputs()[0])
	case n.Class() == graph.ClassConstant:
		return "a constant"
	}
	return "generated " + n.Type()
}

// seed returns what a control loop is entered with.
func (p *pieced) seed(at *piece, enter *graph.Node) string { return p.source(at, enter.Inputs()[0]) }

// decided returns what the Switch of a control loop asks, given its Merge.
func (p *pieced) decided(at *piece, merge *graph.Node) string {
	for e := range merge.Out() {
		sw := e.To.Op
		if sw.Class() != graph.ClassSwitch || e.IsControl() || p.known(sw) {
			continue
		}
		for next := range sw.Out() {
			if n := next.To.Op; n.Class() == graph.ClassNextIteration && next.From.Index == 1 && merge.Inputs()[1].Op == n {
				how := "here"
				if sw.Inputs()[1].Op.Class() == graph.ClassRecv {
					how = "received"
				}
				return p.source(at, sw.Inputs()[1]) + " " + how
			}
		}
	}
	return "nothing"
}

// controls reports what a node waits for. What holds other nodes than Recvs back in a
// control loop counts only if loops is set.
func (p *pieced) controls(at *piece, n *graph.Node, loops bool) string {
	var all []string
	for _, c := range n.Controls() {
		switch {
		case c.Class() == graph.ClassMerge && !p.known(c):
			if loops {
				all = append(all, " after "+p.source(at, c.Output(0)))
			}
		case c.Class() == graph.ClassIdentity && !p.known(c):
			all = append(all, " after "+p.source(at, c.Inputs()[0]))
		default:
			all = append(all, " after "+p.source(at, c.Output(0)))
		}
	}
	sort.Strings(all)
	return strings.Join(all, "")
}

func attr(n *graph.Node, name string) string {
	if v := n.Attrs().Find(name); v != nil {
		return v.S
	}
	return ""
}
