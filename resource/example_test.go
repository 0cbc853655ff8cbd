package resource_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// Nodes that name one variable share it. Who has read it keeps what it read.
func ExampleLookupOrCreate() {
	session := resource.NewManager()
	counter := func() (*resource.Variable, error) {
		return resource.LookupOrCreate(session, "", "counter", func() (*resource.Variable, error) {
			return resource.NewVariable(session, "counter", tensor.Int64), nil
		})
	}
	one, err := counter()
	if err != nil {
		fmt.Println(err)
		return
	}
	other, err := counter()
	fmt.Println(one == other, err)

	one.Assign(tensor.Scalar(int64(41)))
	before, _ := other.Read()
	other.Assign(tensor.Scalar(int64(42)))
	after, _ := one.Read()
	fmt.Println(tensor.At0[int64](&before), tensor.At0[int64](&after))
	// Output:
	// true <nil>
	// 41 42
}

// Who finds a queue empty is called back. A queue that was shut gives out what
// it has.
func ExampleQueue() {
	q := resource.NewQueue(resource.NewManager(), resource.QueueOptions{
		Name: "jobs", Kind: "FIFOQueue",
		Types: []tensor.DType{tensor.Int32}, Capacity: 10, Order: resource.NewFIFO(1),
	})
	ctx := context.Background()
	var took int32
	take := func(t *resource.Taken) error {
		took = tensor.At0[int32](&t.Elements[0])
		return nil
	}
	told := func(err error) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("took", took)
	}
	q.Dequeue(ctx, 1, false, take, told)
	fmt.Println("waiting")
	for i := range int32(2) {
		q.Enqueue(ctx, []tensor.Value{tensor.Scalar(i)}, func(err error) { fmt.Println("put", i, err) })
	}
	q.Shut(ctx, false, func(error) {})
	for range 2 {
		q.Dequeue(ctx, 1, false, take, told)
	}
	// Output:
	// waiting
	// took 0
	// put 0 <nil>
	// put 1 <nil>
	// took 1
	// OUT_OF_RANGE: FIFOQueue 'jobs' is closed and has insufficient elements (requested 1, current size 0)
}
