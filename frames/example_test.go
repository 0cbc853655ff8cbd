package frames_test

import (
	"fmt"

	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/tensor"
)

// A loop of one node, of which two iterations may be alive at a time.
func Example() {
	statics := []*frames.Static{
		{Parent: -1, Parallel: 1},
		{Name: "loop", Index: 1, Nodes: 1, Slots: 1, First: []uint32{2}, Later: []uint32{2}, Enters: 1, Parallel: 2},
	}
	frames.Number(statics)
	table := frames.NewTable(statics)
	loop := table.Enter(statics[1], table.Start())
	loop.PendingEnters-- // the one Enter has arrived
	second := table.Advance(loop)
	fmt.Println(second.Tag(), "is the newest; full:", loop.Full())

	second.Outstanding = 1 // something runs in it
	drop := func(tensor.Value) {}
	for table.Retire(loop, drop) {
		fmt.Println("the oldest retires; full:", loop.Full())
	}
	second.Outstanding = 0
	for table.Retire(loop, drop) {
		fmt.Println("the oldest retires; done:", loop.Done())
	}
	// Output:
	// loop[1] is the newest; full: true
	// the oldest retires; full: false
	// the oldest retires; done: true
}
