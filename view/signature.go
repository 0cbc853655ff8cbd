package view

import (
	"strconv"
	"strings"
)

// A Port is an input or output of a signature.
type Port struct {
	Name   string
	Tensor string // of the graph, such as "x:0"; "" for one that is made of several
	Type   string // type and shape, for people
}

// A signature is one of a SavedModel: the page lists them next to the graph, with what
// leads to the nodes, and opens with the body of the function that the first calls.
type signature struct {
	Key     string `json:"key"`
	Inputs  []row  `json:"inputs"` // name, node or -1, output of the node, type
	Outputs []row  `json:"outputs"`
}

// AddSignature adds a signature to the graph that was added first. The page opens with what
// the first that is added runs.
func (p *Page) AddSignature(key string, inputs, outputs []Port) {
	if len(p.graphs) == 0 {
		return
	}
	place := make(map[string]int, len(p.first))
	for i, n := range p.first {
		place[n.Name()] = i
	}
	rows := func(ports []Port) []row {
		list := []row{}
		for _, port := range ports {
			name, output, _ := strings.Cut(port.Tensor, ":")
			at, ok := place[name]
			if !ok {
				at = -1
			}
			k, _ := strconv.Atoi(output)
			list = append(list, row{port.Name, at, k, port.Type})
		}
		return list
	}
	p.graphs[0].Signatures = append(p.graphs[0].Signatures, signature{key, rows(inputs), rows(outputs)})
}
