package transport_test

import (
	"fmt"

	"github.com/troupe-go/troupe/registry"

	_ "github.com/troupe-go/troupe/ops/transport"
)

// A user's graph may not hold these operations, so there are no Go functions for
// them.
func Example() {
	def, err := registry.Global.Lookup("_HostSend")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(def.Summary)
	for _, a := range def.Attrs {
		fmt.Println(a.Name)
	}
	// Output:
	// Sends a tensor that is in the memory of the host, whatever the device.
	// T
	// tensor_name
	// send_device
	// send_device_incarnation
	// recv_device
	// client_terminated
}
