package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	tf "github.com/troupe-go/troupe"
)

// resident runs graphs again and again, through a Callable whose results are released, and
// prints how much memory the process takes as it goes, and what a run allocates. DIR is as
// troupe bench reads it; feeds are filled with one number. Linux only.
func resident() *cobra.Command {
	runs := 100_000
	cmd := &cobra.Command{
		Use:   "resident DIR NAME...",
		Short: "Print the memory of a process that runs a graph again and again",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args[1:] {
				if err := watch(cmd.Context(), args[0], name, runs); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&runs, "runs", runs, "run each graph `N` times")
	return cmd
}

// watch runs one graph, and looks ten times.
func watch(ctx context.Context, dir, name string, runs int) error {
	s, c, in, err := open(dir, name)
	if err != nil {
		return err
	}
	defer s.Close()
	var out [1]*tf.Tensor
	var before, after runtime.MemStats
	for done := 0; done < runs; {
		runtime.ReadMemStats(&before)
		part := max(runs/10, 1)
		for range part {
			if err := c.RunInto(ctx, out[:], in...); err != nil {
				return err
			}
		}
		done += part
		runtime.ReadMemStats(&after)
		size, err := residentBytes()
		if err != nil {
			return err
		}
		fmt.Printf("%s: after %d runs %.1f MiB resident, %.1f of them Go's heap; a run allocates %.0f bytes in %.1f pieces\n",
			name, done, float64(size)/(1<<20), float64(after.HeapInuse)/(1<<20),
			float64(after.TotalAlloc-before.TotalAlloc)/float64(part), float64(after.Mallocs-before.Mallocs)/float64(part))
	}
	return nil
}

// open readies a graph with a single fetch.
func open(dir, name string) (*tf.Session, *tf.Callable, []*tf.Tensor, error) {
	text, err := os.ReadFile(filepath.Join(dir, "graphs.json"))
	if err != nil {
		return nil, nil, nil, err
	}
	var rows map[string]struct {
		Feeds map[string]struct{ Shape []int64 }
		Fetch string
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, nil, nil, err
	}
	def, err := os.ReadFile(filepath.Join(dir, name+".pb"))
	if err != nil {
		return nil, nil, nil, err
	}
	g := tf.NewGraph()
	if err := g.Import(def, ""); err != nil {
		return nil, nil, nil, err
	}
	output := func(name string) (tf.Output, error) {
		node, _, _ := strings.Cut(name, ":")
		if op := g.Operation(node); op != nil && op.NumOutputs() > 0 {
			return op.Output(0), nil
		}
		return tf.Output{}, fmt.Errorf("there is no %q", name)
	}
	var feeds []tf.Output
	var in []*tf.Tensor
	for key, f := range rows[name].Feeds {
		o, err := output(key)
		if err != nil {
			return nil, nil, nil, err
		}
		t, err := tf.FromSlice(numbers(f.Shape), f.Shape...)
		if err != nil {
			return nil, nil, nil, err
		}
		feeds, in = append(feeds, o), append(in, t)
	}
	fetch, err := output(rows[name].Fetch)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := tf.NewSession(g, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	c, err := s.MakeCallable(feeds, []tf.Output{fetch}, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	return s, c, in, nil
}

func numbers(shape []int64) []float32 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = 0.25
	}
	return x
}

// residentBytes returns how many bytes of memory the process has.
func residentBytes() (int64, error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if size, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(size), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("the system does not say")
}
