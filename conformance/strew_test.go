package conformance_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/conformance"
)

var (
	strewn      = flag.Int("strewn", 1, "how many seeds TestStrewn strews each case with")
	strewnCases = flag.String("strewncases", "testdata/control.zip,testdata/gradients.zip", "the groups of cases that TestStrewn strews")
)

// TestStrewn holds the answers of cases whose nodes are on several devices at random:
// those that TensorFlow gave on one.
func TestStrewn(t *testing.T) {
	var cases []*conformance.Case
	for _, path := range strings.Split(*strewnCases, ",") {
		found, err := conformance.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, found...)
	}
	for seed := range uint64(*strewn) {
		list := []string{"actors", "tokens", "sequential", fmt.Sprintf("seeded:%d", seed)}
		for k, c := range cases {
			if testing.Short() && k%3 > 0 {
				continue
			}
			for i, apart := range []bool{false, true} { // each on one engine, another one with another seed
				cfg := conformance.Config{
					Engine: list[(int(seed)+k+i)%len(list)], SeparateSteps: apart, Timeout: 20 * time.Second, Rewrite: []string{"", "none"}[int(seed)/4%2],
					Strewing: conformance.Strewing{Devices: 2 + int(seed)%3, Seed: seed},
				}
				if r := c.Run(t.Context(), cfg); r.Verdict != conformance.Passed {
					t.Errorf("%s on %s, apart %v, %+v, passes %q: %s: %s", c.Name, cfg.Engine, apart, cfg.Strewing, cfg.Rewrite, r.Verdict, r.Detail)
				}
			}
		}
	}
}
