package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/graph"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/nn"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/tensor"
)

const (
	width = 64
	parts = 8 // of a row, in the reshape
)

// layers writes the graph of a network with very many layers, on which the import of large
// models is timed:
//
//	go run ./benchmarks/measure layers --nodes 100000 layers
//	go run ./cmd/troupe bench layers
//
// A layer has 30 nodes: a product with a variable, a bias, a normalization, and a reshape to
// sizes that are computed from the batch's, so that no shape is known without evaluating
// such arithmetic.
func layers() *cobra.Command {
	nodes := 100_000
	cmd := &cobra.Command{
		Use:   "layers DIR",
		Short: "Write a graph of very many layers, and the graphs.json that benchmarks read",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return writeLayers(args[0], nodes) },
	}
	cmd.Flags().IntVar(&nodes, "nodes", nodes, "about how many `N` nodes the graph has")
	return cmd
}

func writeLayers(dir string, nodes int) error {
	g := graph.New()
	b := graph.NewBuilder(g)
	x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float, "shape": graph.MakeShape(-1, width)})
	y := x
	for i := 0; g.NumNodes() < nodes && b.Err() == nil; i++ {
		y = layer(b.Scope(fmt.Sprintf("layer_%d", i)), y)
	}
	if err := b.Err(); err != nil {
		return err
	}
	if got, want := y.Shape().String(), fmt.Sprintf("[?, %d]", width); got != want {
		return fmt.Errorf("the last layer has shape %s instead of %s", got, want)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := fmt.Sprintf("layers_%d", g.NumNodes())
	if err := files.WriteFile(filepath.Join(dir, name+".pb"), func(w io.Writer) error { _, err := g.WriteTo(w); return err }); err != nil {
		return err
	}
	// A run does next to nothing: what counts is the import before it.
	table, err := json.MarshalIndent(map[string]any{name: map[string]any{
		"feeds": struct{}{}, "fetch": "layer_0/Const:0", "work": 1, "unit": "run", "nodes": g.NumNodes(),
	}}, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteFile(filepath.Join(dir, "graphs.json"), func(w io.Writer) error { _, err := w.Write(append(table, '\n')); return err })
}

// layer is x, of width columns, after a layer.
func layer(b *graph.Builder, x graph.Output) graph.Output {
	variable := func(name string, shape ...int64) graph.Output {
		handle := b.Op("VarHandleOp", graph.Attrs{"dtype": tensor.Float, "shape": graph.MakeShape(shape...), "shared_name": name})
		return b.Op("ReadVariableOp", graph.Attrs{"dtype": tensor.Float}, handle)
	}
	y := b.Op("MatMul", nil, x, variable("weights", width, width))
	y = b.Op("Relu", nil, b.Op("BiasAdd", nil, y, variable("bias", width)))

	columns := b.Const([]int32{1})
	keep := graph.Attrs{"keep_dims": true}
	centred := b.Op("Sub", nil, y, b.Op("Mean", keep, y, columns))
	spread := b.Op("Mean", keep, b.Op("Square", nil, centred), columns)
	scale := b.Op("Rsqrt", nil, b.Op("AddV2", nil, spread, b.Const(float32(1e-5))))
	y = b.Op("Mul", nil, centred, scale)

	batch := b.Op("StridedSlice", graph.Attrs{"shrink_axis_mask": int64(1)},
		b.Op("Shape", nil, y), b.Const([]int32{0}), b.Const([]int32{1}), b.Const([]int32{1}))
	size := b.Op("Pack", nil, graph.OutputList{batch, b.Const(int32(parts)), b.Const(int32(width / parts))})
	y = b.Op("Transpose", nil, b.Op("Reshape", nil, y, size), b.Const([]int32{0, 2, 1}))
	y = b.Op("Reshape", nil, y, b.Const([]int32{-1, width}))
	return b.Op("Identity", nil, b.Op("AddV2", nil, x, y))
}
