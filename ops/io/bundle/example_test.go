package bundle_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/tensor"
)

// A checkpoint is written and read back.
func Example() {
	dir, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	prefix := filepath.Join(dir, "model")

	w, err := bundle.Create(nil, prefix)
	if err != nil {
		log.Fatal(err)
	}
	weights, err := tensor.NewTensor([][]float32{{1, 2}, {3, 4}})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Add("weights", tensor.ValueOf(weights)); err != nil {
		log.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		log.Fatal(err)
	}

	r, err := bundle.Open(nil, prefix)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Names())
	row, err := r.Read(bundle.Heap, "weights", bundle.Slice{{Start: 1, Length: 1}, {Length: bundle.Whole}})
	fmt.Println(row, err)
	// Output:
	// [weights] <nil>
	// [[3. 4.]] <nil>
}
