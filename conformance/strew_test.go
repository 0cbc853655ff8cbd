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
		for _, c := range cases {
			for i, engine := range []string{"actors", "tokens", "sequential", fmt.Sprintf("seeded:%d", seed)} {
				for _, apart := range []bool{false, true} {
					cfg := conformance.Config{
						Engine: engine, Apart: apart, Timeout: 20 * time.Second, Rewrite: []string{"", "none"}[(int(seed)+i)%2],
						Strewing: conformance.Strewing{Devices: 2 + int(seed)%3, Seed: seed},
					}
					if r := c.Run(t.Context(), cfg); r.Verdict != conformance.Passed {
						t.Errorf("%s on %s, apart %v, %+v, passes %q: %s: %s", c.Name, engine, apart, cfg.Strewing, cfg.Rewrite, r.Verdict, r.Detail)
					}
				}
			}
		}
	}
}
