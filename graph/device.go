package graph

import (
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// checkDevice reports whether a device that a node asks for can be read, in full
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

// internDevice checks a device that a node asks for. Equal ones share their
// bytes: most graphs have a few devices on many nodes.
func (g *Graph) internDevice(device string) (string, error) {
	if device == "" {
		return "", nil
	}
	if d, ok := g.devices[device]; ok {
		return d, nil
	}
	if err := checkDevice(device); err != nil {
		return "", err
	}
	if g.devices == nil {
		g.devices = map[string]string{}
	}
	d := strings.Clone(device)
	g.devices[d] = d
	return d, nil
}
