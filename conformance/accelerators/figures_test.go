package accelerators

import (
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

var (
	matrixSizes = flag.String("sizes", "", "the matrices of BenchmarkGPU, of so many rows; 4096,8192 unless given, for which it needs a GPU")
	graphs      = flag.String("graphs", "", "a folder with a graphs.json, whose graphs of resnet and lstm BenchmarkGPU runs")
)

// BenchmarkGPU is what a GPU makes of products, of transfers beside them, and of graphs;
// package devices/cuda has products by the driver and by cuBLAS alone. With -sizes it also
// runs on a simulated one, to see that it would.
func BenchmarkGPU(b *testing.B) {
	if *matrixSizes != "" {
		gpus(b, 1)
	} else if _, err := cuda.Devices(); err != nil {
		b.Skipf("NOT CHECKED: %v", err)
	}
	for text := range strings.SplitSeq(cmp.Or(*matrixSizes, "4096,8192"), ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("MatMul/"+text, func(b *testing.B) { matmulOn(b, n) })
		b.Run("Overlap/"+text, func(b *testing.B) {
			run := chain(b, cuda.Type, 16, n)
			run()
			both, writing := int64(0), int64(0)
			for b.Loop() {
				w, k := overlap(run())
				both, writing = both+w, writing+k
			}
			b.ReportMetric(100*float64(both)/float64(writing), "%-of-writing-beside-compute")
		})
	}
	if *graphs != "" {
		b.Run("Graphs", graphsOn)
	}
}

// matmulOn is products of matrices that are in the device's memory, handed over to its
// actors.
func matmulOn(b *testing.B, n int64) {
	bench := opened(b, cuda.Open)
	x, err1 := bench.Place(b.Context(), ramp(n, n))
	y, err2 := bench.Place(b.Context(), ramp(n, n))
	z, err3 := bench.Blank(b.Context(), tensor.Float, []int64{n, n})
	launches, err4 := code.MatMul(z, x, y, false, false, code.Array{})
	run := func() {
		for i := range launches {
			if err := bench.Device.Launch(&launches[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		b.Fatal(err)
	}
	run()
	bench.Device.Wait(b.Context())
	b.ResetTimer()
	for range b.N {
		run()
	}
	if err := bench.Device.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(2*float64(n*n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}

// graphsOn runs graphs, each node on the GPU that has a kernel there.
func graphsOn(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(*graphs, "graphs.json"))
	if err != nil {
		b.Fatal(err)
	}
	var table map[string]struct {
		Feeds map[string]struct{ Shape []int64 }
		Fetch string
	}
	if err := json.Unmarshal(data, &table); err != nil {
		b.Fatal(err)
	}
	for name, row := range table {
		if !regexp.MustCompile("^(resnet|lstm)").MatchString(name) {
			continue
		}
		b.Run(name, func(b *testing.B) {
			def, err := os.ReadFile(filepath.Join(*graphs, name+".pb"))
			if err != nil {
				b.Fatal(err)
			}
			g := session.NewGraph()
			if err := g.Import(def, ""); err != nil {
				b.Fatal(err)
			}
			s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{cuda.Type: 1}})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			output := func(name string) session.Output {
				node, port, _ := strings.Cut(name, ":")
				i, _ := strconv.Atoi(port)
				return g.Operation(node).Output(i)
			}
			feeds := map[session.Output]*session.Tensor{}
			for name, f := range row.Feeds {
				feeds[output(name)] = ramp(f.Shape...)
			}
			for b.Loop() {
				if _, err := s.Run(feeds, []session.Output{output(row.Fetch)}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
