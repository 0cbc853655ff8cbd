package conformance

import (
	"context"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A store is what gives out elements: fill puts five in, take takes some, and size says
// how many are there. Nodes of queues are written once, as those of queue Q.
type store struct {
	nodes string
	taken int32
}

const (
	queueNodes = `q = QUEUE() {component_types=[DT_INT64, DT_FLOAT], shapes=list(shape) [[], [300]], shared_name="s"}
fill = QueueEnqueueManyV2(q, five, rows) {Tcomponents=[DT_INT64, DT_FLOAT]}
size = QueueSizeV2(q)
`
	takeOne  = `take = QueueDequeueV2(q) {component_types=[DT_INT64, DT_FLOAT]}`
	takeMany = `take = QueueDequeueManyV2(q, two) {component_types=[DT_INT64, DT_FLOAT]}`
	takeUpTo = `take = QueueDequeueUpToV2(q, two) {component_types=[DT_INT64, DT_FLOAT]}`
	keys     = `k0 = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 7>}
both = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 0 1>}
fill = MapStage(k0, both, five, rows) {dtypes=[DT_INT64, DT_FLOAT], fake_dtypes=[DT_INT64, DT_FLOAT], shared_name="s"}
size = MapSize() {dtypes=[DT_INT64, DT_FLOAT], shared_name="s"}
`
)

var stores = map[string]store{
	"staged": {`fill = Stage(five, rows) {dtypes=[DT_INT64, DT_FLOAT], shared_name="s"}
size = StageSize() {dtypes=[DT_INT64, DT_FLOAT], shared_name="s"}
take = Unstage() {dtypes=[DT_INT64, DT_FLOAT], shared_name="s"}`, 1},
	"key":    {keys + `take = MapUnstage(k0, both) {dtypes=[DT_INT64, DT_FLOAT], shared_name="s"}`, 1},
	"no key": {keys + `take = MapUnstageNoKey(both) {dtypes=[DT_INT64, DT_FLOAT], shared_name="s"}`, 1},
	"barrier": {`b = Barrier() {component_types=[DT_FLOAT], shapes=list(shape) [[300]], shared_name="s"}
names = AsString(five) {T=DT_INT64}
fill = BarrierInsertMany(b, names, rows) {T=DT_FLOAT, component_index=0}
size = BarrierReadySize(b)
take = BarrierTakeMany(b, two) {component_types=[DT_FLOAT]}`, 2},
}

func init() {
	for _, kind := range []string{"FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2", "PriorityQueueV2"} {
		made := strings.ReplaceAll(queueNodes, "QUEUE", kind)
		if kind == "PriorityQueueV2" { // its elements' first components are priorities
			made = strings.ReplaceAll(made, "component_types=[DT_INT64, DT_FLOAT], shapes=list(shape) [[], [300]]", "component_types=[DT_FLOAT], shapes=list(shape) [[300]]")
		}
		stores[kind] = store{made + takeOne, 1}
		stores[kind+" many"] = store{made + takeMany, 2}
		stores[kind+" up to"] = store{made + takeUpTo, 2}
	}
}

// Memory runs out at every allocation while elements are taken: those that the step has
// not got are where they were.
func TestNothingLost(t *testing.T) {
	for name, s := range stores {
		t.Run(name, func(t *testing.T) {
			g := graph.New()
			if err := notation.Add(g, `two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
five = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [5] values: 0 1 2 3 4>}
dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 5 300>}
rows = RandomUniform(dims) {dtype=DT_FLOAT, T=DT_INT32}
`+s.nodes); err != nil {
				t.Fatal(err)
			}
			compiled := func(spec compile.Spec) *nodes.Program {
				p, err := compile.Graph(t.Context(), g, spec)
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			fill := compiled(compile.Spec{Targets: []*graph.Node{g.Operation("fill")}})
			size := compiled(compile.Spec{Fetches: []graph.Output{g.Operation("size").Output(0)}})
			take := compile.Spec{}
			for i := range g.Operation("take").NumOutputs() {
				take.Fetches = append(take.Fetches, g.Operation("take").Output(i))
			}
			taking := compiled(take)
			whole := int32(5)
			if s.taken == 1 && !strings.Contains(name, "Queue") {
				whole = 1
			}
			refused := 0
			for n := int64(1); ; n++ {
				budget := tensor.NewFailing(n)
				all := &resource.Manager{Budget: budget}
				run := func(p *nodes.Program) ([]tensor.Value, error) {
					perStep, log := &resource.Manager{Budget: budget}, zerolog.Nop()
					defer perStep.Clear()
					out := make([]tensor.Value, len(p.Fetches()))
					step := &kernel.Step{ID: 1, Context: context.Background(), Resources: all, PerStep: perStep, Pool: kerneltest.Threads{}, Files: &files.Policy{}, Log: &log}
					return out, sequential.New(budget).Run(step, p, nil, out)
				}
				if _, err := run(fill); err != nil {
					continue
				}
				_, err := run(taking)
				want := whole
				switch {
				case err == nil:
					want -= s.taken
				case status.CodeOf(err) != status.ResourceExhausted:
					t.Fatal(err)
				default:
					refused++
				}
				failed := budget.Failed()
				out, err := run(size)
				if err == nil {
					if got := tensor.At0[int32](&out[0]); got != want {
						t.Errorf("allocation %d: %d elements are there, not %d", n, got, want)
					}
				}
				if all.Clear(); !failed {
					break
				}
			}
			t.Logf("%d allocations of takers failed", refused)
		})
	}
}
