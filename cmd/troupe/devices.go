package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/sorted"
)

// deviceFlags say which devices a session has.
type deviceFlags struct {
	devices deviceCount
	device  string
	strict  bool
	apart   bool
	memory  bytesFlag
}

func (f *deviceFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Var(&f.devices, "devices", "give the session these `DEVICES`: a number of CPU devices, or a list such as CPU=2,OPENCL=1")
	fl.StringVar(&f.device, "device", "", "run nodes without a device on `DEVICE`, such as /cpu:1")
	fl.BoolVar(&f.strict, "strict-placement", false, "fail if a node requests a device that does not exist")
	fl.BoolVar(&f.apart, "separate-steps", false, "run the part on each device as a separate step")
	fl.Var(&f.memory, "device-memory", "use at most this `SIZE` of each accelerator's memory, such as 2GiB; 0 is what is free")
	fl.Lookup("device-memory").DefValue = "0" // is not shown
}

func (f *deviceFlags) given() bool {
	return len(f.devices) > 0 || f.device != "" || f.strict || f.apart || f.memory > 0
}

func (f *deviceFlags) set(o *troupe.SessionOptions) *troupe.SessionOptions {
	o.Devices, o.Device, o.StrictPlacement, o.SeparateSteps = f.devices, f.device, f.strict, f.apart
	o.DeviceMemoryLimit = int64(f.memory)
	return o
}

// A deviceCount is how many devices there are of each type, a flag.
type deviceCount map[string]int

// Set takes "2" or "CPU=2,ACCEL=1".
func (c *deviceCount) Set(text string) error {
	*c = deviceCount{}
	for part := range strings.SplitSeq(text, ",") {
		kind, number, typed := strings.Cut(part, "=")
		if !typed {
			kind, number = "CPU", part
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || kind == "" {
			return fmt.Errorf("%q is neither a number of CPU devices nor of the form TYPE=NUMBER", part)
		}
		(*c)[kind] = n
	}
	return nil
}

// String returns what Set takes.
func (c *deviceCount) String() string {
	var parts []string
	for _, kind := range sorted.Keys(maps.Clone(map[string]int(*c))) {
		parts = append(parts, fmt.Sprintf("%s=%d", kind, (*c)[kind]))
	}
	return strings.Join(parts, ",")
}

// Type names the flag's value.
func (*deviceCount) Type() string { return "DEVICES" }

// writeDevices prints where the nodes of a run are, and what goes between devices.
func writeDevices(ctx context.Context, w io.Writer, c *troupe.Callable) error {
	placed, err := c.Placement(ctx)
	if err != nil {
		return failure{err}
	}
	if placed == "" {
		fmt.Fprintln(w, "one device; --devices adds more")
		return nil
	}
	edges, err := c.Transfers(ctx)
	if err != nil {
		return failure{err}
	}
	fmt.Fprint(w, placed)
	for _, e := range edges {
		fmt.Fprintf(w, "%s: %s -> %s\n", e.Tensor, shortDevice(e.From), shortDevice(e.To))
	}
	fmt.Fprintf(w, "%s between devices\n", count(len(edges), "edge"))
	return nil
}

// shortDevice is "CPU:0" of a full name.
func shortDevice(name string) string {
	_, short, ok := strings.Cut(name, "device:")
	if !ok {
		return name
	}
	return short
}

// printMemory prints how the memory of accelerators is used.
func printMemory(w io.Writer, all []troupe.DeviceMemory) {
	for _, d := range all {
		fmt.Fprintf(w, "  %s  %9d of %d bytes in use, %d at most, %d kept for later; %d allocations, %d of memory kept\n",
			shortDevice(d.Device), d.InUse, d.Limit, d.Peak, d.Kept, d.Allocs, d.Reused)
	}
}

// printTransfers prints what went between devices.
func printTransfers(w io.Writer, all []troupe.Transfer) {
	for _, t := range all {
		fmt.Fprintf(w, "  %s -> %s  %9d bytes in %6d tokens, %d of them dead: %s\n", shortDevice(t.From), shortDevice(t.To), t.Bytes, t.Count, t.Dead, t.Tensor)
	}
}
