package transport

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("_Send").
		Input("tensor: T").
		Attr("T: type").
		Attr("tensor_name: string").
		Attr("send_device: string").
		Attr("send_device_incarnation: int").
		Attr("recv_device: string").
		Attr("client_terminated: bool = false").
		Stateful().
		Doc(`Sends a tensor to a _Recv of the same name on another device.

tensor_name: The name under which sender and receiver meet.
send_device: The device that sends.
send_device_incarnation: The incarnation of that device, so that a message to its predecessor is not mistaken.
recv_device: The device that receives.
client_terminated: Whether the other end is the caller of the step, feeding or fetching.`)
	registry.Define("_Recv").
		Output("tensor: tensor_type").
		Attr("tensor_type: type").
		Attr("tensor_name: string").
		Attr("send_device: string").
		Attr("send_device_incarnation: int").
		Attr("recv_device: string").
		Attr("client_terminated: bool = false").
		Stateful().
		DistributedCommunication().
		Doc(`Receives a tensor from a _Send of the same name on another device.

tensor_type: The type of the tensor.
tensor_name: The name under which sender and receiver meet.
send_device: The device that sends.
send_device_incarnation: The incarnation of that device.
recv_device: The device that receives.
client_terminated: Whether the other end is the caller of the step, feeding or fetching.`)
	registry.Define("_HostSend").
		Input("tensor: T").
		Attr("T: type").
		Attr("tensor_name: string").
		Attr("send_device: string").
		Attr("send_device_incarnation: int").
		Attr("recv_device: string").
		Attr("client_terminated: bool = false").
		Stateful().
		Doc(`Sends a tensor that is in the memory of the host, whatever the device.

tensor_name: The name under which sender and receiver meet.
send_device: The device that sends.
send_device_incarnation: The incarnation of that device.
recv_device: The device that receives.
client_terminated: Whether the other end is the caller of the step, feeding or fetching.`)
	registry.Define("_HostRecv").
		Output("tensor: tensor_type").
		Attr("tensor_type: type").
		Attr("tensor_name: string").
		Attr("send_device: string").
		Attr("send_device_incarnation: int").
		Attr("recv_device: string").
		Attr("client_terminated: bool = false").
		Stateful().
		DistributedCommunication().
		Doc(`Receives a tensor into the memory of the host, whatever the device.

tensor_type: The type of the tensor.
tensor_name: The name under which sender and receiver meet.
send_device: The device that sends.
send_device_incarnation: The incarnation of that device.
recv_device: The device that receives.
client_terminated: Whether the other end is the caller of the step, feeding or fetching.`)
}
