package session

import (
	"context"
	"strings"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// runStep runs a step, or a part of one. Errors are part of the response if the client
// asks for that.
func (s *Server) runStep(ctx context.Context, q *master.RunStepRequest) (*master.RunStepResponse, error) {
	r, err := s.find(q.GetSessionHandle())
	if err != nil {
		return nil, err
	}
	response := &master.RunStepResponse{}
	if q.GetPartialRunHandle() != "" {
		err = s.runPart(ctx, r, q, response)
	} else {
		err = s.run(ctx, r, q, response)
	}
	if err != nil && q.GetStoreErrorsInResponseBody() {
		e := status.From(err)
		response.StatusCode, response.StatusErrorMessage = int32(e.Code), message(e)
		response.Tensor = nil
		return response, nil
	}
	if err != nil {
		return nil, err
	}
	return response, nil
}

// run runs a step.
func (s *Server) run(ctx context.Context, r *remote, q *master.RunStepRequest, response *master.RunStepResponse) error {
	feeds, err := r.feeds(q.GetFeed())
	if err != nil {
		return err
	}
	fetches, err := r.outputs(q.GetFetch())
	if err != nil {
		return err
	}
	targets, err := r.targets(q.GetTarget())
	if err != nil {
		return err
	}
	t := newTrace(r, q.GetOptions())
	fetched, err := r.session.RunWithOptions(ctx, t.options, feeds, fetches, targets)
	if err != nil {
		response.Metadata = t.message(ctx, nil, nil, nil)
		return err
	}
	if response.Tensor, err = named(q.GetFetch(), fetched); err != nil {
		return err
	}
	response.Metadata = t.message(ctx, keys(feeds), fetches, targets)
	return nil
}

// feeds decodes fed tensors.
func (r *remote) feeds(list []*master.NamedTensorProto) (map[session.Output]*session.Tensor, error) {
	feeds := make(map[session.Output]*session.Tensor, len(list))
	for _, f := range list {
		o, err := r.output(f.GetName())
		if err != nil {
			return nil, err
		}
		if _, again := feeds[o]; again {
			return nil, status.Invalid("Tensor %s is fed more than once", f.GetName())
		}
		if feeds[o], err = decode(f.GetName(), f.GetTensor()); err != nil {
			return nil, err
		}
		f.Tensor = nil
	}
	return feeds, nil
}

// decode decodes a tensor that is fed to name.
func decode(name string, b []byte) (*session.Tensor, error) {
	t, err := tensor.UnmarshalProto(b, 0)
	if err != nil {
		return nil, status.Within(err, "the tensor fed to %s", name)
	}
	return t, nil
}

// output returns the output of that name: "x:0", or "x" for its first.
func (r *remote) output(name string) (session.Output, error) {
	o, err := r.graph.Find(name)
	if err != nil {
		return o, err
	}
	return o, nil
}

func (r *remote) outputs(names []string) ([]session.Output, error) {
	list := make([]session.Output, len(names))
	for i, name := range names {
		var err error
		if list[i], err = r.output(name); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// targets are the operations of the names.
func (r *remote) targets(names []string) ([]*session.Operation, error) {
	list := make([]*session.Operation, len(names))
	for i, name := range names {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "^"), ":")
		if list[i] = r.graph.Operation(name); list[i] == nil {
			return nil, status.Errorf(status.NotFound, "The graph does not have a node %s", name)
		}
	}
	return list, nil
}

// named are tensors under the names that the client asked for.
func named(names []string, tensors []*session.Tensor) ([]*master.NamedTensorProto, error) {
	list := make([]*master.NamedTensorProto, len(names))
	for i, t := range tensors {
		b, err := t.MarshalProto()
		if err != nil {
			return nil, status.Within(err, "the fetched tensor %s", names[i])
		}
		list[i] = &master.NamedTensorProto{Name: names[i], Tensor: b}
	}
	return list, nil
}

func keys(feeds map[session.Output]*session.Tensor) []session.Output {
	list := make([]session.Output, 0, len(feeds))
	for o := range feeds {
		list = append(list, o)
	}
	return list
}

// A trace is what a client wants to know of a step.
type trace struct {
	remote  *remote
	options session.RunOptions
	graphs  bool // the graphs that were run, too
}

func newTrace(r *remote, o *wire.RunOptions) *trace {
	t := &trace{remote: r, graphs: o.GetOutputPartitionGraphs()}
	t.options.Timeout = time.Duration(max(o.GetTimeoutInMs(), 0)) * time.Millisecond
	if o.GetTraceLevel() != wire.RunOptions_NO_TRACE {
		t.options.Profile = true
		t.options.Metadata = &session.RunMetadata{}
	}
	return t
}

// message returns the RunMetadata of a step; nil if the client asked for none.
func (t *trace) message(ctx context.Context, feeds, fetches []session.Output, targets []*session.Operation) []byte {
	var b []byte
	if m := t.options.Metadata; m != nil && m.Stats != nil {
		b = m.Stats.AppendRunMetadata(b)
	}
	if t.graphs && fetches != nil {
		const partitionGraphs = 3 // in RunMetadata
		if c, err := t.remote.session.MakeCallableContext(ctx, feeds, fetches, targets); err == nil {
			for _, def := range graphsOf(ctx, c) {
				b = wire.AppendField(b, partitionGraphs, def)
			}
		}
	}
	return b
}

// graphsOf are the graphs of a run by device, as GraphDefs.
func graphsOf(ctx context.Context, c *session.Callable) [][]byte {
	text, _ := c.Rewritten()
	g := session.NewGraph()
	if err := g.AddText(text); err != nil {
		return nil
	}
	def, err := g.GraphDef(graph.ExportOptions{})
	if err != nil {
		return nil
	}
	return [][]byte{def}
}
