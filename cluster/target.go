package cluster

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"

	_ "github.com/troupe-go/troupe/ops/transport" // what pieces exchange tensors with
)

// scheme begins targets.
const scheme = "troupe"

func init() { session.RegisterTarget(scheme, openTarget) }

// A target is a session's workers.
type target struct {
	client  *client
	options session.SessionOptions
	budget  *tensor.Budget
	number  uint64 // of the session
	devices []devices.Attributes
	workers map[devices.Spec]string // addresses by process
	names   [][2]string             // addresses, and what they are called
	where   [][2]string             // processes, and their addresses

	mu        sync.Mutex
	graphs    uint64
	variables map[string][]string             // by worker's address: names of those placed there
	placed    map[string]string               // processes by nodes that make variables
	lives     map[string]protocol.Incarnation // in which they were last known to be there
	lost      map[string]map[string]bool      // and those lost since
}

// openTarget opens the workers of a session.
func openTarget(name string, o *session.SessionOptions) (session.Target, error) {
	addresses, err := parseTarget(name)
	if err != nil {
		return nil, err
	}
	c, err := enter(keyOf(addresses, &o.Cluster), o.Logger)
	if err != nil {
		return nil, err
	}
	t := &target{
		client: c, options: *o, budget: tensor.NewBudget(o.MemoryLimit), workers: map[devices.Spec]string{},
		variables: map[string][]string{}, placed: map[string]string{}, lives: map[string]protocol.Incarnation{}, lost: map[string]map[string]bool{},
	}
	if err := t.connect(addresses); err != nil {
		c.leave()
		return nil, err
	}
	c.do(func(*protocol.Outbox) {
		c.next++
		t.number = c.next
		c.core.Open(t.number)
	})
	return t, nil
}

// openPatience is how long workers may take to answer when a session opens: they may just
// have been started.
const openPatience = 10 * time.Second

// refusedPatience is how long a session that opens tries an address where connections are
// refused: a worker that was just started may not listen yet, but there may be none.
const refusedPatience = time.Second

// connect asks the workers for their devices.
func (t *target) connect(addresses []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), openPatience)
	defer cancel()
	all, errs := t.client.ask(ctx, addresses, request{What: askStatus}, refusedPatience)
	for i := range all {
		s, address := &all[i], addresses[i]
		if err := errs[i]; err != nil {
			return unreached(address, err)
		}
		if s.Bound != t.client.bound {
			return status.Errorf(status.FailedPrecondition, "worker %s at %s has a failure bound of %v, the session of %v", s.Name, address, s.Bound, t.client.bound)
		}
		t.client.call(address, s.Name)
		t.names = append(t.names, [2]string{address, s.Name})
		for k := range s.Devices {
			a, err := s.Devices[k].attributes()
			if err != nil {
				return err
			}
			process := a.Spec.Process()
			if other := t.workers[process]; other != "" && other != address {
				return status.Invalid("the workers at %s and %s are both %s", other, address, process)
			}
			if t.workers[process] == "" {
				t.where = append(t.where, [2]string{process.String(), address})
			}
			t.workers[process] = address
			t.devices = append(t.devices, a)
		}
	}
	if len(t.devices) == 0 {
		return status.Invalid("the workers have no devices")
	}
	return nil
}

// Devices are the workers'. See [session.Target].
func (t *target) Devices() []devices.Attributes { return t.devices }

// A program is registered with workers when it first runs.
type program struct {
	*target
	graph   uint64
	feedAt  [][]int // by part: which feeds it takes
	workers []string
	fetches int
	partial map[int]protocol.Peer // by feed of partial runs: the worker that waits for it
	moved   []moved
}

// Program divides a program. See [session.Target].
func (t *target) Program(shares []compile.Share, o session.TargetProgram) (session.AwayProgram, error) {
	p := &program{target: t, fetches: o.Fetches, partial: map[int]protocol.Peer{}}
	for i := range shares {
		p.workers = append(p.workers, t.workers[shares[i].Process])
	}
	parts, with, takes := make([]protocol.Part, len(shares)), make([][]int, len(shares)), map[int]int{}
	for i := range shares {
		b, err := encodePart(&shares[i], &part{isolated: t.options.Cluster.Isolated, seed: t.options.Seed, passes: o.Passes, names: t.names, where: t.where})
		if err != nil {
			return nil, err
		}
		with[i] = exchanges(shares, i)
		parts[i] = protocol.Part{Value: &parcel{head: b, step: protocol.StepID{SessionID: protocol.SessionID{Master: t.client.self, Number: t.number}}}}
		var feeds []int
		for k := range shares[i].Pieces {
			feeds = append(feeds, shares[i].Pieces[k].FeedAt...)
			for _, n := range shares[i].Pieces[k].Graph.Nodes() {
				if feed, ok := session.PartialNode(n); ok && feed >= 0 {
					takes[feed] = i
				}
			}
		}
		p.feedAt = append(p.feedAt, feeds)
	}
	t.mu.Lock()
	t.graphs++
	p.graph = t.graphs
	for i := range shares {
		p.moved = append(p.moved, t.note(p.workers[i], &shares[i])...)
	}
	t.mu.Unlock()
	t.client.do(func(*protocol.Outbox) {
		for _, n := range t.names { // which may have been forgotten with earlier sessions
			t.client.call(n[0], n[1])
		}
		for i := range parts {
			parts[i].Worker = t.client.peer(p.workers[i])
		}
		for i := range parts {
			for _, k := range with[i] {
				parts[i].Peers = append(parts[i].Peers, parts[k].Worker)
			}
		}
		for feed, i := range takes {
			p.partial[feed] = parts[i].Worker
		}
		t.client.core.Add(t.number, p.graph, parts)
	})
	return p, nil
}

// exchanges returns the shares that share i sends to or receives from.
func exchanges(shares []compile.Share, i int) (others []int) {
	processes := map[string]int{}
	for k := range shares {
		processes[shares[k].Process.String()] = k
	}
	found := make([]bool, len(shares))
	for _, piece := range shares[i].Pieces {
		for _, n := range piece.Graph.Nodes() {
			for _, attr := range []string{"send_device", "recv_device"} {
				if !strings.HasSuffix(n.Type(), "Send") && !strings.HasSuffix(n.Type(), "Recv") {
					continue
				}
				v := n.Attrs().Find(attr)
				if v == nil {
					continue
				}
				name, _, _ := strings.Cut(v.S, "/device:")
				if k, ok := processes[name]; ok && k != i {
					found[k] = true
				}
			}
		}
	}
	for k, yes := range found {
		if yes {
			others = append(others, k)
		}
	}
	return others
}

// note notes the variables that a share has on a worker, and returns those that were elsewhere.
func (t *target) note(worker string, s *compile.Share) (elsewhere []moved) {
	process := withoutReplica(s.Process.String())
	for _, piece := range s.Pieces {
		for _, n := range piece.Graph.Nodes() {
			switch n.Type() {
			case "VarHandleOp", "VariableV2", "Variable":
				name := n.Name()
				if v := n.Attrs().Find("shared_name"); v != nil && v.S != "" {
					name = v.S
				}
				if !slices.Contains(t.variables[worker], name) {
					t.variables[worker] = append(t.variables[worker], name)
				}
				switch before := t.placed[n.Name()]; before {
				case "":
					t.placed[n.Name()] = process
				case process:
				default:
					elsewhere = append(elsewhere, moved{n.Name(), before, process})
				}
			}
		}
	}
	return elsewhere
}

// Run runs a step. See [session.AwayProgram].
func (p *program) Run(ctx context.Context, feeds, fetched []tensor.Value, recorder *profile.Recorder) error {
	by := make([]any, len(p.feedAt))
	span := spanOf(ctx)
	for i, list := range p.feedAt {
		items := make([]item, len(list))
		for k, at := range list {
			items[k] = item{at: at, value: feeds[at].Share()}
		}
		parcel, _, err := pack(protocol.StepID{}, items)
		if err != nil {
			return err
		}
		parcel.span, parcel.record = span, recorder != nil
		by[i] = parcel
	}
	var began int64
	if recorder != nil {
		began = recorder.Clock()
	}
	e, err := p.client.run(ctx, p.number, p.graph, by, nil)
	for _, parcel := range by {
		p.client.dropValue(parcel)
	}
	if err == nil {
		err = p.take(ctx, e.Fetches, fetched, recorder, began)
	}
	return p.explain(err)
}

// dropValue forgets a parcel.
func (c *client) dropValue(v any) {
	if p, ok := v.(*parcel); ok {
		c.office.drop(p)
	}
}

// take takes what the parts have fetched.
func (p *program) take(ctx context.Context, from []any, fetched []tensor.Value, recorder *profile.Recorder, began int64) error {
	var ended int64
	if recorder != nil {
		ended = recorder.Clock()
	}
	for _, v := range from {
		a, _ := v.(*arrival)
		items, err := unpack(ctx, p.client.endpoint, p.budget, a)
		if err != nil {
			return err
		}
		for _, it := range items {
			if it.stats != nil && recorder != nil {
				if err := mergeStats(recorder, it.stats, began, ended); err != nil {
					return err
				}
				continue
			}
			if it.at >= len(fetched) {
				return status.Errorf(status.DataLoss, "a fetch %d of %d", it.at, len(fetched))
			}
			fetched[it.at] = it.value
		}
	}
	for i, v := range fetched {
		if v.IsZero() {
			return status.Errorf(status.DataLoss, "no worker returned fetch %d", i)
		}
	}
	return nil
}

// incarnation returns that of a worker that is connected.
func (c *client) incarnation(address string) (protocol.Incarnation, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.known(address)
	if !ok {
		return 0, false
	}
	return c.core.Remote(p)
}

// explain adds to the error of a variable without a value that its worker was restarted.
func (p *program) explain(err error) error {
	t := p.target
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, address := range p.workers {
		now, ok := t.client.incarnation(address)
		if !ok {
			continue
		}
		before := t.lives[address]
		if before != 0 && before != now {
			for _, v := range t.variables[address] {
				if t.lost[address] == nil {
					t.lost[address] = map[string]bool{}
				}
				t.lost[address][v] = true
			}
		}
		t.lives[address] = now
	}
	if err != nil && len(p.moved) > 0 {
		err = explainMoved(status.From(err), p.moved)
	}
	if err == nil || len(t.lost) == 0 {
		return err
	}
	e := *status.From(err)
	if e.Code != status.FailedPrecondition && e.Code != status.NotFound {
		return err
	}
	var lost []string
	for address, names := range t.lost {
		for name := range names {
			if strings.Contains(e.Message, name) {
				lost = append(lost, fmt.Sprintf("variable %s was lost when worker %s was restarted; assign it or restore a checkpoint", name, t.client.nameOf(address)))
			}
		}
	}
	if len(lost) == 0 {
		return err
	}
	sort.Strings(lost)
	e.Message += "; " + strings.Join(lost, "; ")
	return &e
}

// Close ends the session. See [session.Target].
func (t *target) Close() error {
	t.client.do(func(out *protocol.Outbox) { t.client.core.Close(t.number, out) })
	t.client.office.dropIf(func(of protocol.StepID) bool { return of.Number == t.number })
	return t.client.leave()
}
