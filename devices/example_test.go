package devices_test

import (
	"fmt"

	"github.com/troupe-go/troupe/devices"
)

// A node's request is completed from the process that runs it.
func ExampleSpec_OrElse() {
	asked, err := devices.Parse("/gpu:1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(asked)
	fmt.Println(asked.OrElse(devices.Local()))
	// Output:
	// /device:GPU:1
	// /job:localhost/replica:0/task:0/device:GPU:1
}

func ExampleSpec_Merge() {
	a, _ := devices.Parse("/job:worker/task:1")
	b, _ := devices.Parse("/job:worker/device:CPU:0")
	c, _ := devices.Parse("/job:ps")
	fmt.Println(a.Merge(b, false))
	_, err := a.Merge(c, false)
	fmt.Println(err)
	// Output:
	// /job:worker/task:1/device:CPU:0 <nil>
	// INVALID_ARGUMENT: Cannot merge devices with incompatible jobs: '/job:worker/task:1' and '/job:ps'
}
