package accelerators

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/kernel"
)

var (
	caseFiles = flag.String("cases", "", "groups of recorded cases that TestCases and TestStrewn run, separated by commas")
	caseKind  = flag.String("on", "OPENCL", "the type of the device that it runs them on")
	caseNames = flag.String("named", "", "a regular expression: TestCases runs only cases of such names")
)

// TestCases runs recorded cases in sessions with an accelerator, on which most nodes ask
// to be, and holds TensorFlow's answers. It counts cases of which the accelerator has
// operations, and those operations.
func TestCases(t *testing.T) {
	if *caseFiles == "" {
		t.Skip("no -cases are given")
	}
	named, err := regexp.Compile(*caseNames)
	if err != nil {
		t.Fatal(err)
	}
	switch *caseKind {
	case "OPENCL":
		opened(t, opencl.Open)
	case cuda.Type:
		gpus(t, 1)
	}
	has := map[string]bool{}
	for _, op := range kernel.Ops() {
		for _, r := range kernel.Registered(op) {
			if r.Device == *caseKind && !r.Host {
				has[op] = true
			}
		}
	}
	delete(has, "_Upload")
	delete(has, "_Download")
	ran, count := map[string]bool{}, 0
	for path := range strings.SplitSeq(*caseFiles, ",") {
		cases, err := conformance.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			some := slices.ContainsFunc(c.Ops, func(op string) bool { return has[op] && op != "Identity" })
			if !some || !named.MatchString(c.Name) {
				continue
			}
			cfg := conformance.Config{Engine: "actors", Timeout: 20 * time.Minute} // its driver compiles, for Cast 169 functions
			if c.Run(t.Context(), cfg).Verdict != conformance.Passed {
				continue // the CPU differs from TensorFlow, too
			}
			count++
			for _, op := range c.Ops {
				if has[op] {
					ran[op] = true
				}
			}
			cfg.Strewing = conformance.Strewing{Devices: 1, Seed: uint64(count), Type: *caseKind}
			if r := c.Run(t.Context(), cfg); r.Verdict != conformance.Passed {
				if err := nearer(t.Context(), path, c, cfg); err != nil {
					t.Errorf("%s: %s: %s; %v", c.Name, r.Verdict, r.Detail, err)
				} else {
					t.Logf("%s is nearer to what is right than the recording is: %s", c.Name, r.Detail)
				}
			}
		}
	}
	t.Logf("%d cases with %d of the %d operations that %s has", count, len(ran), len(has), *caseKind)
}
