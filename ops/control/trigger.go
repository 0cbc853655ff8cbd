package control

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("NoOp").
		Doc("Does nothing; it stands for its control edges.")
	registry.Define("ControlTrigger").
		Doc("Does nothing, and is live even if all that it waits for is dead.")
	registry.Define("Abort").
		Attr("error_msg: string = ''").
		Attr("exit_without_error: bool = false").
		Doc(`Fails the step.

TensorFlow ends the process here; a library must not.

error_msg: The error's message.
exit_without_error: Whether to do nothing instead, as no process is to be ended.`)
	shape.Register(shape.NoOutputs, "NoOp", "ControlTrigger", "Abort")
	kernel.ForAll(newAbort, "Abort")
}

type abort struct {
	message string
	quiet   bool
}

func newAbort(c *kernel.Construction) (kernel.Kernel, error) {
	return abort{c.Str("error_msg"), c.Bool("exit_without_error")}, nil
}

func (k abort) Run(*kernel.Context, []tensor.Value, []tensor.Value) error {
	if k.quiet {
		return nil
	}
	return status.Errorf(status.Aborted, "Abort Op aborted: %s", k.message)
}
