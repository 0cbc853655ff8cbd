package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
)

// parseFeed reads "NAME=VALUE" or "NAME=@FILE" for a graph.
func parseFeed(g *troupe.Graph, arg string) (troupe.Output, *troupe.Tensor, error) {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return troupe.Output{}, nil, fmt.Errorf("--feed %s: NAME=VALUE or NAME=@FILE is asked for", arg)
	}
	o, err := findOutput(g, name)
	if err != nil {
		return o, nil, fmt.Errorf("--feed %s: %w", name, err)
	}
	t, err := parseValue(value, o.DataType())
	if err != nil {
		return o, nil, fmt.Errorf("--feed %s: %w", name, err)
	}
	return o, t, nil
}

// readText is a file's bytes as a scalar string.
func readText(name string) (*troupe.Tensor, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return troupe.NewTensor(string(b))
}

// findOutput finds "name:1", or "name" for its output 0.
func findOutput(g *troupe.Graph, name string) (troupe.Output, error) {
	return g.Find(name)
}

func findOperation(g *troupe.Graph, name string) (*troupe.Operation, error) {
	o, err := g.FindID(graph.TensorID{Node: name, Index: graph.Control})
	return o.Op, err
}
