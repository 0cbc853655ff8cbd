package model_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/session"
)

// An exported model is loaded with its variables and tables, and asked by the
// names of its signature.
func ExampleLoad() {
	m, err := model.Load("testdata/vocabulary", []string{"serve"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Session.Close()
	words, err := session.NewTensor([]string{"cat", "alpha", "mat"})
	if err != nil {
		log.Fatal(err)
	}
	out, err := m.Run(context.Background(), "serving_default", map[string]*session.Tensor{"text": words})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out["ids"]) // the table has five words; alpha is none of them
	// Output: [1 5 4]
}

// A graph with a signature is written, and loaded again.
func ExampleWrite() {
	s := op.NewScope()
	x := op.Placeholder(s, session.Float)
	y := op.Neg(s, x)
	g, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	dir = filepath.Join(dir, "negated")
	err = model.Write(dir, model.Export{Graph: g, Signatures: map[string]model.ExportSignature{
		"serving_default": {Inputs: map[string]graph.Output{"x": x}, Outputs: map[string]graph.Output{"y": y}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.Load(dir, []string{"serve"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Session.Close()
	in, err := session.NewTensor([]float32{1, -2})
	if err != nil {
		log.Fatal(err)
	}
	out, err := m.Run(context.Background(), "serving_default", map[string]*session.Tensor{"x": in})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out["y"])
	// Output: [-1.  2.]
}
