package cluster_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/conformance"
)

var (
	strewn      = flag.Int("strewn", 1, "how many seeds TestStrewn strews each case with")
	strewnFirst = flag.Uint64("strewnfirst", 0, "the first of these")
	strewnEvery = flag.Int("strewnevery", 11, "TestStrewn takes each n-th case")
	strewnCases = flag.String("strewncases", "../conformance/testdata/control.zip,../conformance/testdata/gradients.zip", "the groups of cases that TestStrewn strews")
	strewnRun   = flag.String("strewnrun", "", "the name of the only case that TestStrewn strews")
)

// TestStrewn holds the answers of cases whose nodes are at random on the devices of one to four
// worker processes: those that TensorFlow gave in one.
func TestStrewn(t *testing.T) {
	var cases []*conformance.Case
	for _, path := range strings.Split(*strewnCases, ",") {
		found, err := conformance.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, found...)
	}
	var addresses []string
	for i := range 4 {
		addresses = append(addresses, startProcess(t, processOptions{Task: i, Bound: bound}).address)
	}
	held := newSession(t, "troupe://"+addresses[0], trivial(t)) // so that all cases share a client
	defer held.Close()
	ran := 0
	for k := range *strewn {
		seed := *strewnFirst + uint64(k)
		for i, c := range cases {
			if *strewnRun != "" && c.Name != *strewnRun || *strewnRun == "" && (i+int(seed))%*strewnEvery != 0 {
				continue
			}
			n := 1 + (i+int(seed))%4
			ran++
			cfg := conformance.Config{
				Engine: "actors", Timeout: 60 * time.Second, Rewrite: []string{"", "none"}[i/2%2],
				Target: "troupe://" + strings.Join(addresses[:n], ","), Bound: bound,
				Strewing: conformance.Strewing{Devices: n, Seed: seed, Job: "worker"},
			}
			if r := c.Run(t.Context(), cfg); r.Verdict != conformance.Passed {
				t.Errorf("%s over %d workers, seed %d, passes %q: %s: %s", c.Name, n, seed, cfg.Rewrite, r.Verdict, r.Detail)
			}
		}
	}
	t.Logf("%d cases", ran)
}
