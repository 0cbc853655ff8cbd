package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/batch"
)

// batchFlags say how requests share steps.
type batchFlags struct {
	off     bool
	file    string
	loops   bool
	enabled bool // TensorFlow Serving's --enable_batching, which needs no file here
}

func (f *batchFlags) add(fl *pflag.FlagSet) {
	fl.BoolVar(&f.off, "no-batching", false, "run each request by itself")
	fl.BoolVar(&f.loops, "batch-loops", false, "let requests share the iterations of loops, as of decoders, in place of whole steps")
	fl.StringVar(&f.file, "batching_parameters_file", "", "batch requests as `FILE` says, in place of what measurements say (TensorFlow Serving's BatchingParameters)")
	fl.BoolVar(&f.enabled, "enable_batching", true, "batch requests, as TensorFlow Serving's flag; --enable_batching=false is --no-batching")
}

// batching returns the options.
func (f *batchFlags) batching() (serve.Batching, error) {
	b := serve.Batching{Off: f.off || !f.enabled}
	if f.file == "" {
		return b, nil
	}
	if b.Off {
		return b, fmt.Errorf("--batching_parameters_file without batching")
	}
	var err error
	if b.Parameters, err = batch.ReadParameters(f.file); err != nil {
		return b, fmt.Errorf("--batching_parameters_file: %w", err)
	}
	return b, nil
}
