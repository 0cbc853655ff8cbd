package emulated_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
)

// double is code for an emulated device: it doubles bytes.
var double = &devices.Code{Entry: "double", Emulate: func(_ *devices.Launch, memory [][]byte) error {
	for i := range memory[0] {
		memory[0][i] *= 2
	}
	return nil
}}

// A driver's queues, events and buffers: bytes go to the device by one queue, are
// doubled in another, which waits for the first, and come back.
func Example() {
	d := emulated.New(emulated.Options{Seed: 1})
	defer d.Close()
	copies, _ := d.NewQueue("copies")
	compute, _ := d.NewQueue("compute")
	host, _ := d.AllocHost(3)
	there, _ := d.Alloc(3)

	copy(host.Bytes(), []byte{1, 2, 3})
	copies.Write(there, host, 3)
	written, _ := copies.Record()
	compute.Wait(written)
	compute.Launch(&devices.Launch{Code: double, Groups: [3]int{1, 1, 1}, Size: [3]int{1, 1, 1}, Args: []devices.Arg{
		{Buffer: there, Access: devices.Reads | devices.Writes},
	}})
	compute.Read(host, there, 3)
	done, _ := compute.Record()
	if err := done.Wait(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(host.Bytes())
	// Output: [2 4 6]
}

// Without the wait the checker reports what nothing orders.
func ExampleDevice_Err() {
	d := emulated.New(emulated.Options{Seed: 1})
	defer d.Close()
	copies, _ := d.NewQueue("copies")
	compute, _ := d.NewQueue("compute")
	host, _ := d.AllocHost(3)
	there, _ := d.Alloc(3)
	copy(host.Bytes(), []byte{1, 2, 3})

	copies.Write(there, host, 3)
	compute.Launch(&devices.Launch{Code: double, Groups: [3]int{1, 1, 1}, Size: [3]int{1, 1, 1}, Args: []devices.Arg{
		{Buffer: there, Access: devices.Reads | devices.Writes},
	}})
	fmt.Println(d.Err())
	// Output: INTERNAL: nothing orders double, work 1 of queue "compute", which writes buffer 2, after write, work 1 of queue "copies", which writes it
}
