package logging

import (
	"time"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Timestamp").
		Output("ts: double").
		Stateful().
		Doc("Returns the time in seconds since 1970.")

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(timestamp), nil }, "Timestamp")

	gradient.None("Timestamp")
}

func timestamp(_ *kernel.Context, _, out []tensor.Value) error {
	out[0] = tensor.Scalar(float64(time.Now().UnixMicro()) / 1e6)
	return nil
}
