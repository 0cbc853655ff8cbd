package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
)

// What flags say of devices is what the session gets.
func TestDeviceFlags(t *testing.T) {
	var f deviceFlags
	cmd := &cobra.Command{}
	f.add(cmd)
	if f.given() {
		t.Error("no flag says anything of devices")
	}
	if err := cmd.ParseFlags([]string{"--device-memory", "2GiB"}); err != nil || !f.given() {
		t.Fatal(err)
	}
	if o := f.set(&troupe.SessionOptions{}); o.DeviceMemoryLimit != 2<<30 {
		t.Errorf("the limit is %d", o.DeviceMemoryLimit)
	}
}
