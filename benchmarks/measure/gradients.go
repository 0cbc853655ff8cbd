package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/op"
)

// gradients adds Troupe's backward graphs to loops that time_gradients_tensorflow.py has
// written, and times how long it takes to build backward graphs; that file has the commands.
func gradients() *cobra.Command {
	cmd := &cobra.Command{Use: "gradients", Short: "Build backward graphs, and time how long that takes"}
	cmd.AddCommand(
		&cobra.Command{
			Use: "graphs DIR", Short: "Add backward graphs to those of DIR/forward, and write them to DIR/troupe", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return graphs(args[0]) },
		},
		&cobra.Command{
			Use: "scale", Short: "Time how long backward graphs of chains and layers take", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return scale() },
		},
		&cobra.Command{
			Use: "memory DIR NAME", Short: "Run a graph once and print the most memory that was in use", Args: cobra.ExactArgs(2),
			RunE: func(_ *cobra.Command, args []string) error { return memory(args[0], args[1]) },
		},
	)
	return cmd
}

// A row is what graphs.json says of a graph; the rest of it stays as it is.
type row map[string]any

func graphs(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "forward", "graphs.json"))
	if err != nil {
		return err
	}
	table := map[string]row{}
	if err := json.Unmarshal(text, &table); err != nil {
		return err
	}
	out := filepath.Join(dir, "troupe")
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		def, err := os.ReadFile(filepath.Join(dir, "forward", name+".pb"))
		if err != nil {
			return err
		}
		if err := derive(filepath.Join(out, name+".pb"), def, table[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if text, err = json.MarshalIndent(table, "", " "); err != nil {
		return err
	}
	return files.WriteFile(filepath.Join(out, "graphs.json"), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// derive adds the gradient of what a row fetches with respect to what it is by, and
// writes the graph.
func derive(path string, def []byte, r row) error {
	g := tf.NewGraph()
	if err := g.Import(def, ""); err != nil {
		return err
	}
	var ends []tf.Output
	for _, key := range []string{"fetch", "by"} {
		name, index, _ := strings.Cut(fmt.Sprint(r[key]), ":")
		i, err := strconv.Atoi(index)
		n := g.Operation(name)
		if err != nil || n == nil || i >= n.NumOutputs() {
			return fmt.Errorf("%q is not an output of the graph", r[key])
		}
		ends = append(ends, n.Output(i))
	}
	began := time.Now()
	dx, err := g.AddGradients("", ends[:1], ends[1:], nil)
	if err != nil {
		return err
	}
	fmt.Printf("%s: backward graph in %v\n", path, time.Since(began).Round(time.Microsecond))
	r["fetch"], r["nodes"] = dx[0].String(), g.NumNodes()
	delete(r, "by")
	return files.WriteFile(path, func(w io.Writer) error { _, err := g.WriteTo(w); return err })
}

// shapes are graphs of about n nodes.
var shapes = []struct {
	name  string
	build func(s *op.Scope, x tf.Output, n int) tf.Output
	width int
}{
	{"chain", func(s *op.Scope, x tf.Output, n int) tf.Output {
		for range n {
			x = op.Sin(s.SubScope("sin"), x)
		}
		return x
	}, 0},
	{"layers", func(s *op.Scope, x tf.Output, n int) tf.Output {
		one := op.Const(s.SubScope("one"), float32(1))
		w := op.Fill(s, op.Const(s.SubScope("size"), []int32{64, 64}), one)
		for range n / 3 {
			l := s.SubScope("layer")
			x = op.Tanh(l, op.Add(l, op.MatMul(l, x, w), one))
		}
		return x
	}, 64},
}

func scale() error {
	for _, shape := range shapes {
		for _, n := range []int{1_000, 10_000, 100_000} {
			s := op.NewScope()
			of := tf.ScalarShape()
			if shape.width > 0 {
				of = tf.MakeShape(-1, int64(shape.width))
			}
			x := op.Placeholder(s, tf.Float, op.PlaceholderShape(of))
			y := shape.build(s, x, n)
			g, err := s.Finalize()
			if err != nil {
				return err
			}
			began := time.Now()
			if _, err := g.AddGradients("", []tf.Output{y}, []tf.Output{x}, nil); err != nil {
				return err
			}
			fmt.Printf("%s of %d nodes: %.3f s\n", shape.name, n, time.Since(began).Seconds())
		}
	}
	return nil
}
