package cluster_test

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/op"
)

// A parameter server and a worker, which would be processes on two machines, started by
// `troupe worker --job ps` and `troupe worker --job worker`.
func Example() {
	bound := 10 * time.Second
	ps, err := cluster.NewWorker(cluster.WorkerOptions{Job: "ps", Bound: bound})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ps.Close()
	worker, err := cluster.NewWorker(cluster.WorkerOptions{Job: "worker", Bound: bound})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer worker.Close()

	s := op.NewScope()
	onPS, onWorker := s.WithDevice("/job:ps"), s.WithDevice("/job:worker")
	v := op.VarHandleOp(onPS, troupe.Float, troupe.ScalarShape(), op.VarHandleOpSharedName("v"))
	init := op.AssignVariableOp(onPS, v, op.Const(onPS, float32(1)))
	twice := op.Mul(onWorker, op.ReadVariableOp(onPS, v, troupe.Float), op.Const(onWorker.SubScope("two"), float32(2)))
	update := op.AssignVariableOp(onPS.SubScope("update"), v, twice)
	read := op.ReadVariableOp(onPS.SubScope("read"), v, troupe.Float)
	graph, err := s.Finalize()
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := troupe.NewSession(graph, &troupe.SessionOptions{
		Target:  "troupe://" + ps.Address() + "," + worker.Address(),
		Cluster: troupe.ClusterOptions{Bound: bound},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	for _, target := range []*troupe.Operation{init, update, update, update} {
		if _, err := session.Run(nil, nil, []*troupe.Operation{target}); err != nil {
			fmt.Println(err)
			return
		}
	}
	values, err := session.Run(nil, []troupe.Output{read}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(values[0])
	// Output: 8.0
}
