package accelerators

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/devices/cuda"
)

var strewn = flag.Int("strewn", 1, "how many seeds TestStrewn strews each case with")
var strewnOn = flag.String("strewnon", "EMULATED", "the type of the devices that it strews them over")

// TestStrewn holds the answers of cases whose nodes are on several emulated devices at
// random: those that TensorFlow gave on one. A device fails, and the case with it, if
// nothing orders two works that must not be done at once. The seed decides where nodes
// are, and what the devices' queues do when.
func TestStrewn(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of graphs")
	}
	if *strewnOn == cuda.Type {
		gpus(t, 4)
	}
	var cases []*conformance.Case
	groups := "../testdata/control.zip,../testdata/gradients.zip,../testdata/variables.zip.gz"
	for path := range strings.SplitSeq(cmp.Or(*caseFiles, groups), ",") {
		found, err := conformance.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, found...)
	}
	for seed := range uint64(*strewn) {
		list := []string{"actors", "tokens", "sequential", fmt.Sprintf("seeded:%d", seed)}
		for k, c := range cases {
			cfg := conformance.Config{
				Engine: list[(int(seed)+k)%len(list)], SeparateSteps: (int(seed)/4+k)%5 == 0, Timeout: 20 * time.Second, Rewrite: []string{"", "none"}[int(seed)/4%2],
				Strewing: conformance.Strewing{Devices: 1 + (int(seed)+k)%4, Seed: seed + 1, Type: *strewnOn},
			}
			if r := c.Run(t.Context(), cfg); r.Verdict != conformance.Passed {
				t.Errorf("%s on %s, apart %v, %+v, passes %q: %s: %s", c.Name, cfg.Engine, cfg.SeparateSteps, cfg.Strewing, cfg.Rewrite, r.Verdict, r.Detail)
			}
		}
	}
}
