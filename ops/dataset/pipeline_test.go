package dataset_test

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// functions are those that tests call: Wait waits for an element of the queue
// "tickets"; Begin does, too, after it has said so in "begun"; Large makes a megabyte; Never does
// not hold; Nothing makes a dataset without elements.
const functions = `
func Wait(x: int64) -> (y: int64) {
  q = FIFOQueueV2() {component_types=[DT_INT64], shared_name="tickets"}
  ticket = QueueDequeueV2(q:handle:0) {component_types=[DT_INT64]}
  sum = AddV2(x, ticket:components:0) {T=DT_INT64}
  return y = sum:z:0
}
func Begin(x: int64) -> (y: int64) {
  begun = FIFOQueueV2() {component_types=[DT_INT64], shared_name="begun"}
  say = QueueEnqueueV2(begun:handle:0, x) {Tcomponents=[DT_INT64]}
  q = FIFOQueueV2(^say) {component_types=[DT_INT64], shared_name="tickets"}
  ticket = QueueDequeueV2(q:handle:0) {component_types=[DT_INT64]}
  sum = AddV2(x, ticket:components:0) {T=DT_INT64}
  return y = sum:z:0
}
func Never(x: int64) -> (y: bool) {
  never = Less(x, x) {T=DT_INT64}
  return y = never:z:0
}
func Nothing(x: int64) -> (y: variant) {
  one = OnesLike(x) {T=DT_INT64}
  range = RangeDataset(x, x, one:y:0) {output_types=[DT_INT64], output_shapes=list(shape) [[]]}
  return y = range:handle:0
}
func Plus(s: int64, x: int64) -> (y: int64) {
  sum = AddV2(s, x) {T=DT_INT64}
  return y = sum:z:0
}
func Large(x: int64) -> (y: int64) {
  dims = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [1] values: 131072>}
  fill = Fill(dims:output:0, x) {T=DT_INT64, index_type=DT_INT64}
  return y = fill:output:0
}
`

// A pipeline is a graph of datasets in a session of its own.
type pipeline struct {
	t       *testing.T
	g       *graph.Graph
	session *session.Session
	n       int

	iterator graph.Output // the latest
}

func newPipeline(t *testing.T, o *session.SessionOptions) *pipeline {
	t.Helper()
	def, err := notation.Parse(functions)
	if err != nil {
		t.Fatal(err)
	}
	p := &pipeline{t: t, g: graph.New()}
	if err := p.g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	if p.session, err = session.NewSession(p.g, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.session.Close() })
	return p
}

// attrs are those of a dataset of int64, with others.
func attrs(more map[string]any) map[string]any {
	all := map[string]any{"output_types": []tensor.DType{tensor.Int64}, "output_shapes": registry.ListAttr(registry.KindShape, registry.ShapeAttr(registry.Shape{Unknown: true}))}
	for name, v := range more {
		all[name] = v
	}
	return all
}

// add adds an operation: args are outputs, or the values of constants.
func (p *pipeline) add(op string, attrs map[string]any, args ...any) graph.Output {
	p.t.Helper()
	var in []graph.Input
	for _, a := range args {
		switch a := a.(type) {
		case graph.Input:
			in = append(in, a)
		default:
			c, err := tensor.NewTensor(a)
			if err != nil {
				p.t.Fatal(err)
			}
			in = append(in, p.add("Const", map[string]any{"dtype": c.DType(), "value": c}))
		}
	}
	p.n++
	n, err := p.g.AddOperation(graph.OpSpec{Type: op, Name: fmt.Sprintf("n%d", p.n), Input: in, Attrs: attrs})
	if err != nil {
		p.t.Fatal(err)
	}
	return n.Output(0)
}

// numbers is RangeDataset from 0.
func (p *pipeline) numbers(n int64) graph.Output {
	return p.add("RangeDataset", attrs(nil), int64(0), n, int64(1))
}

// mapped calls a function for each element; for parallel elements at one time.
func (p *pipeline) mapped(d graph.Output, function string, parallel int64) graph.Output {
	f := attrs(map[string]any{"f": &registry.Func{Name: function}})
	if parallel == 1 {
		return p.add("MapDataset", f, d, graph.OutputList{})
	}
	return p.add("ParallelMapDatasetV2", f, d, graph.OutputList{}, parallel)
}

// over begins to iterate over a dataset of one component.
func (p *pipeline) over(d graph.Output, dt tensor.DType) (func(context.Context) ([]*tensor.Tensor, error), error) {
	p.t.Helper()
	of := map[string]any{"output_types": []tensor.DType{dt}, "output_shapes": registry.ListAttr(registry.KindShape, registry.ShapeAttr(registry.Shape{Unknown: true})), "shared_name": fmt.Sprintf("iterator%d", p.n), "container": ""}
	it := p.add("IteratorV2", of)
	begin := p.add("MakeIterator", nil, d, it).Op
	p.iterator = it
	delete(of, "shared_name")
	delete(of, "container")
	next := p.add("IteratorGetNext", of, it)
	_, err := p.session.Run(nil, nil, []*graph.Node{begin})
	return func(ctx context.Context) ([]*tensor.Tensor, error) {
		return p.session.RunContext(ctx, nil, []graph.Output{next}, nil)
	}, err
}

// give puts an element into the queue "tickets".
func (p *pipeline) give(x int64) {
	p.t.Helper()
	types := []tensor.DType{tensor.Int64}
	q := p.add("FIFOQueueV2", map[string]any{"component_types": types, "shared_name": "tickets"})
	put := p.add("QueueEnqueueV2", nil, q, graph.OutputList{p.add("Const", map[string]any{"dtype": tensor.Int64, "value": tensor.FromScalar(x)})})
	if _, err := p.session.Run(nil, nil, []*graph.Node{put.Op}); err != nil {
		p.t.Fatal(err)
	}
}
