package graph

import (
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// checkDevice says whether a device that a node asks for can be read, in full
// or in part.
func checkDevice(device string) error {
	if device == "" {
		return nil
	}
	if _, err := devices.Parse(device); err != nil {
		return status.Invalid("Error parsing the device spec: %s", status.From(err).Message)
	}
	return nil
}
