package functional

import (
	"unicode/utf8"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("PyFunc").
		Input("input: Tin").Output("output: Tout").
		Attr("token: string").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Stateful().
		Doc(`Calls a function that was registered in the Python process that made the graph.

There is none here: it fails when it runs.

input: What the function takes.
output: What it returns.
token: What it was registered as.
Tout: The types of the results.`)
	registry.Define("PyFuncStateless").
		Input("input: Tin").Output("output: Tout").
		Attr("token: string").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Doc(`Calls a function without side effects that was registered in the Python process that made the graph.

There is none here: it fails when it runs.

input: What the function takes.
output: What it returns.
token: What it was registered as.
Tout: The types of the results.`)
	registry.Define("EagerPyFunc").
		Input("input: Tin").Output("output: Tout").
		Attr("token: string").
		Attr("is_async: bool = false").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Stateful().
		Doc(`Calls a function of eager tensors that was registered in the Python process that made the graph.

There is none here: it fails when it runs.

input: What the function takes.
output: What it returns.
token: What it was registered as.
is_async: Whether the function is called without waiting.
Tout: The types of the results.`)
	shape.Register(shape.UnknownOutputs, "PyFunc", "PyFuncStateless", "EagerPyFunc")
	gradient.None("PyFunc", "PyFuncStateless")
	gradient.Refuse(status.Unimplemented, "the gradient of a Python function needs Python", "EagerPyFunc")
	kernel.ForAll(newPython, "PyFunc", "PyFuncStateless", "EagerPyFunc")
}

// newPython makes the kernel of a call of a Python function. It fails as
// TensorFlow does in a process that registered no function of that token.
func newPython(c *kernel.Construction) (kernel.Kernel, error) {
	token := c.Str("token")
	return kernel.Func(func(*kernel.Context, []tensor.Value, []tensor.Value) error {
		if !utf8.ValidString(token) {
			return status.Errorf(status.Internal, "Failed to create python tuple. Please make sure `token` is a well-formed UTF-8 string.")
		}
		return status.Invalid("ValueError: Could not find callback with key=%s in the registry.", token)
	}), nil
}
