package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/batch"
)

// A kind is a way to batch.
type kind struct {
	name string
	b    serve.Batching
	send func(context.Context) error
}

// kinds returns the ways that are compared: none, the adaptive one, and parameters.
func kinds() []*kind {
	all := []*kind{{name: "off", b: serve.Batching{Off: true}}, {name: "adaptive"}}
	for _, size := range []int{8, 32, 64, 128} {
		for _, wait := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond} {
			all = append(all, &kind{name: fmt.Sprintf("%d, %v", size, wait), b: serve.Batching{Parameters: &batch.Parameters{
				MaxBatchSize: size, BatchTimeout: wait, MaxEnqueuedBatches: 1 << 10,
			}}})
		}
	}
	return all
}

// table prints a table for the models in a folder. Each kind is measured once, and then the
// best of the parameters and the adaptive one in turn, so often as rounds says: the median
// counts, as the best of many measurements is good by chance.
func table(folder, clients string, rows int64, took time.Duration, rounds int) {
	list, err := os.ReadDir(folder)
	check(err)
	fmt.Println("| model | load | off | best parameters | adaptive | of the best | of its work |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, e := range list {
		if info, err := os.Stat(filepath.Join(folder, e.Name())); err != nil || !info.IsDir() {
			continue
		}
		all := kinds()
		for _, k := range all {
			m := managed(filepath.Join(folder, e.Name()), k.b)
			defer m.Close(context.Background())
			k.send = predict(m, rows)
		}
		most := 0.0 // requests a second
		rates := func(a, b result) float64 { return a.rate / b.rate }
		for _, text := range strings.Split(clients, ",") {
			n, err := strconv.Atoi(text)
			check(err)
			most = max(most, compare(e.Name(), text+" clients", all, rounds, func(k *kind) result { return closed(k.send, n, took) }, rates))
		}
		latencies := func(a, b result) float64 { return b.p50.Seconds() / a.p50.Seconds() }
		for _, share := range []float64{0.3, 0.7} {
			compare(e.Name(), fmt.Sprintf("Poisson, %.0f/s", share*most), all, rounds, func(k *kind) result { return open(k.send, share*most, took) }, latencies)
		}
	}
}

// compare measures one line of the table, and returns the rate of the best parameters.
func compare(model, load string, all []*kind, rounds int, measure func(*kind) result, ratio func(a, b result) float64) float64 {
	results := make([]result, len(all))
	for i, k := range all {
		results[i] = measure(k)
	}
	best := hand(results, func(a, b result) bool { return ratio(a, b) > 1 })
	var list [2][]result
	for range rounds {
		for i, k := range []*kind{all[best], all[1]} {
			list[i] = append(list[i], measure(k))
		}
	}
	own, adaptive := median(list[0]), median(list[1])
	fmt.Printf("| %s | %s | %v | %s: %v | %v | %.2f | %.2f |\n", model, load, results[0], all[best].name, own, adaptive, ratio(adaptive, own), adaptive.work/own.work)
	return own.rate
}

// median returns the medians of results, each by itself.
func median(list []result) result {
	rates, work := make([]float64, len(list)), make([]float64, len(list))
	p50, p99 := make([]time.Duration, len(list)), make([]time.Duration, len(list))
	for i, r := range list {
		rates[i], work[i], p50[i], p99[i] = r.rate, r.work, r.p50, r.p99
	}
	slices.Sort(rates)
	slices.Sort(work)
	slices.Sort(p50)
	slices.Sort(p99)
	at := len(list) / 2
	return result{rates[at], work[at], p50[at], p99[at]}
}

// hand returns which of the parameters are best.
func hand(results []result, better func(a, b result) bool) int {
	const first = 2 // off and adaptive
	at := first
	for i := first; i < len(results); i++ {
		if better(results[i], results[at]) {
			at = i
		}
	}
	return at
}
