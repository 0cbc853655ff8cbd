package transport

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.NoOutputs, "_Send", "_HostSend")
	shape.Register(shape.UnknownOutputs, "_Recv", "_HostRecv")
}
