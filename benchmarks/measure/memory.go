package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tf "github.com/troupe-go/troupe"
)

// memory runs a graph of DIR/graphs.json once and prints the most memory that the
// process had, which Linux says.
func memory(dir, name string) error {
	text, err := os.ReadFile(filepath.Join(dir, "graphs.json"))
	if err != nil {
		return err
	}
	var table map[string]struct {
		Fetch string
		Feeds map[string]struct {
			DType string
			Shape []int64
			Value any
		}
	}
	if err := json.Unmarshal(text, &table); err != nil {
		return err
	}
	row, ok := table[name]
	if !ok {
		return fmt.Errorf("%s lists no %q", dir, name)
	}
	def, err := os.ReadFile(filepath.Join(dir, name+".pb"))
	if err != nil {
		return err
	}
	g := tf.NewGraph()
	if err := g.Import(def, ""); err != nil {
		return err
	}
	feeds := map[tf.Output]*tf.Tensor{}
	for key, spec := range row.Feeds {
		if spec.DType != "float32" || spec.Value != "ramp" {
			return fmt.Errorf("%s is fed with something else than a ramp of float32", key)
		}
		n := int64(1)
		for _, d := range spec.Shape {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(i%97)/97 - 0.5
		}
		x, err := tf.NewTensor(data)
		if err != nil {
			return err
		}
		if err := x.Reshape(spec.Shape); err != nil {
			return err
		}
		feeds[output(g, key)] = x
	}
	s, err := tf.NewSession(g, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.RunContext(context.Background(), feeds, []tf.Output{output(g, row.Fetch)}, nil); err != nil {
		return err
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var n float64
			if _, err := fmt.Sscan(kib, &n); err != nil {
				return err
			}
			fmt.Printf("%s: %.1f MiB at most\n", name, n/1024)
		}
	}
	return nil
}

func output(g *tf.Graph, key string) tf.Output {
	name, _, _ := strings.Cut(key, ":")
	return g.Operation(name).Output(0)
}
