package main

import (
	"bufio"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A call is a Parallel of a recorded run: what one thread computes before it, and how long
// each of its ranges takes on one thread.
type call struct {
	before time.Duration
	expect time.Duration // what Pool.Expect was told just before it
	ranges []time.Duration
}

// Recorded are runs of networks, each on a pool that says it has 2, 8, 32 or 128 workers,
// and computes all ranges on one thread: testdata/NETWORK.WORKERS.txt, of the least time
// of 60 runs for each range. A line is a call, in tenths of a microsecond: the time before
// it, the work that the kernel expects, then its ranges, of which "3x20" are three. testdata/record.patch is how.
//
//go:embed testdata/*.txt
var recorded embed.FS

// networks are those of benchmarks/networks.py that are recorded.
var networks = []string{"mobilenet_v2", "transformer_4", "resnet_50", "convnext", "transformer_4_b8"}

func load(network string, cores int) ([]call, error) {
	f, err := recorded.Open(fmt.Sprintf("testdata/%s.%d.txt", network, cores))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var calls []call
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c call
		for i, field := range strings.Fields(lines.Text()) {
			count, each, many := strings.Cut(field, "x")
			if !many {
				count, each = "1", field
			}
			n, err := strconv.Atoi(count)
			if err != nil {
				return nil, err
			}
			tenths, err := strconv.Atoi(each)
			if err != nil {
				return nil, err
			}
			d := time.Duration(tenths) * 100
			switch i {
			case 0:
				c.before = d
				continue
			case 1:
				c.expect = d
				continue
			}
			for range n {
				c.ranges = append(c.ranges, d)
			}
		}
		calls = append(calls, c)
	}
	return calls, lines.Err()
}

// alone returns how long the calls take on one thread.
func alone(calls []call) (d time.Duration) {
	for _, c := range calls {
		d += c.before
		for _, r := range c.ranges {
			d += r
		}
	}
	return d
}

// bound returns how long they take at least on any pool of so many threads.
func bound(calls []call, threads int) (d time.Duration) {
	for _, c := range calls {
		var sum, most time.Duration
		for _, r := range c.ranges {
			sum, most = sum+r, max(most, r)
		}
		d += c.before + max(most, sum/time.Duration(threads))
	}
	return d
}
