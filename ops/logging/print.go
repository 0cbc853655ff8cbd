package logging

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Print").
		Input("input: T").Input("data: U").
		Output("output: T").
		Attr("T: type").
		Attr("U: list(type) >= 0").
		Attr("message: string = ''").
		Attr("first_n: int = -1").
		Attr("summarize: int = 3").
		Stateful().
		Doc(`Passes its input on and prints tensors to the standard error stream, with control characters escaped.

data: The tensors to print.
message: What stands before the tensors.
first_n: How many times the node prints; without end if it is negative.
summarize: How many elements of each tensor it prints.`)
	registry.Define("PrintV2").
		Input("input: string").
		Attr("output_stream: string = 'stderr'").
		Attr(`end: string = '\n'`).
		Stateful().
		Doc(`Prints a string to an output stream or the session's log, with control characters escaped.

output_stream: "stdout", "stderr", or "log(info)", "log(warning)" or "log(error)" for the session's log.
end: What follows the string.`)
	shape.Register(shape.Unchanged, "Print")
	shape.Register(printShape, "PrintV2")
	kernel.ForAll(newPrint, "Print")
	kernel.ForAll(newPrintV2, "PrintV2")

	gradient.Register(func(c *gradient.Context) { c.Pass(0, 0) }, "Print")
}

func printShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	return c.Err()
}

type print struct {
	message   string
	summarize int64
	left      *atomic.Int64 // times that are left; nil: no end
}

func newPrint(c *kernel.Construction) (kernel.Kernel, error) {
	k := print{message: c.Str("message"), summarize: c.Int("summarize")}
	if n := c.Int("first_n"); n >= 0 {
		k.left = new(atomic.Int64)
		k.left.Store(n)
	}
	return k, nil
}

func (k print) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	out[0] = in[0]
	if k.left != nil && k.left.Add(-1) < 0 {
		return nil
	}
	text, err := brackets(ctx, in[1:], k.summarize, "")
	if err != nil {
		return err
	}
	return write(os.Stderr, k.message+text+"\n")
}

// write prints s with one call, so that lines of different nodes do not mix. The stream
// may be a terminal, which must not obey what a model prints.
func write(w io.Writer, s string) error {
	if _, err := io.WriteString(w, plain.Text(s)); err != nil {
		return status.Errorf(status.Unavailable, "printing failed: %w", err)
	}
	return nil
}

type printV2 struct {
	end   string
	to    io.Writer // nil: the log
	level zerolog.Level
}

// newPrintV2 does not know streams that are files: a graph writes none on the
// quiet.
func newPrintV2(c *kernel.Construction) (kernel.Kernel, error) {
	k := printV2{end: c.Str("end")}
	switch s := c.Str("output_stream"); s {
	case "stdout":
		k.to = os.Stdout
	case "stderr":
		k.to = os.Stderr
	case "log(info)":
		k.level = zerolog.InfoLevel
	case "log(warning)":
		k.level = zerolog.WarnLevel
	case "log(error)":
		k.level = zerolog.ErrorLevel
	default:
		return nil, c.Errorf("Unknown output stream: %s; valid are stdout, stderr, log(info), log(warning) and log(error)", s)
	}
	return k, nil
}

func (k printV2) Run(ctx *kernel.Context, in, _ []tensor.Value) error {
	if !in[0].IsScalar() {
		return status.Invalid("Input is expected to be scalar, but got %s", tensor.FormatDims(in[0].Dims()))
	}
	text := tensor.At0[string](&in[0])
	if k.to != nil {
		return write(k.to, text+k.end)
	}
	if ctx.Step.Log != nil {
		ctx.Step.Log.WithLevel(k.level).Msg(plain.Line(text))
	}
	return nil
}
