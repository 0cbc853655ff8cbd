package parsing

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("DecodeCompressed").
		Input("bytes: string").Output("output: string").
		Attr("compression_type: string = ''").
		Doc(`Decompresses strings.

bytes: The compressed strings.
output: What they hold, in their shape.
compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.`)
	shape.Register(shape.Unchanged, "DecodeCompressed")
	kernel.ForAll(newDecompress, "DecodeCompressed")
}

func newDecompress(c *kernel.Construction) (kernel.Kernel, error) {
	var open func(r io.Reader) (io.Reader, error)
	switch kind := c.Str("compression_type"); kind {
	case "":
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			out[0] = in[0].Share()
			return nil
		}), nil
	case "ZLIB":
		open = func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }
	case "GZIP":
		open = func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	default:
		return nil, c.Errorf("Only ZLIB, GZIP or NONE are supported compressions, got: %s", kind)
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) (err error) {
		if out[0], err = ctx.Alloc(tensor.String, in[0].Dims()); err != nil {
			return err
		}
		charged := int64(0)
		defer func() {
			if b := ctx.Arena.Budget; b != nil {
				b.Release(charged)
			}
		}()
		o := tensor.Of[string](&out[0])
		for i, packed := range tensor.Of[string](&in[0]) {
			r, err := open(strings.NewReader(packed))
			if err != nil {
				return badCompression(i, err)
			}
			var text strings.Builder
			for {
				if err := ctx.Err(); err != nil {
					return err
				}
				n, err := io.CopyN(&text, r, decompressStep)
				if b := ctx.Arena.Budget; b != nil {
					if err := b.Charge(n); err != nil {
						return err
					}
					charged += n
				}
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return badCompression(i, err)
				}
			}
			o[i] = text.String()
		}
		return nil
	}), nil
}

// decompressStep is how much is decompressed between two looks at whether there
// is room for more.
const decompressStep = 1 << 20

func badCompression(i int, err error) error {
	return status.Errorf(status.DataLoss, "element %d cannot be decompressed: %v", i, err)
}
