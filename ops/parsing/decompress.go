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
		o := tensor.Of[string](&out[0])
		for i, packed := range tensor.Of[string](&in[0]) {
			r, err := open(strings.NewReader(packed))
			if err != nil {
				return badCompression(i, err)
			}
			if o[i], err = decompressed(ctx, r, min(4*len(packed)+512, decompressStep)); err != nil {
				if ctx.Err() != nil || status.CodeOf(err) == status.ResourceExhausted {
					return err
				}
				return badCompression(i, err)
			}
		}
		return nil
	}), nil
}

// decompressed returns all that r gives, read into blocks of which the first is that large.
// It stays reserved until the kernel returns.
func decompressed(ctx *kernel.Context, r io.Reader, first int) (string, error) {
	var blocks [][]byte
	var block []byte
	total := 0
	for {
		if len(block) == cap(block) {
			if err := ctx.Err(); err != nil {
				return "", err
			}
			size := first
			if blocks != nil {
				size = decompressStep
			}
			if err := ctx.Reserve(size); err != nil {
				return "", err
			}
			block = make([]byte, 0, size)
			blocks = append(blocks, nil)
		}
		n, err := r.Read(block[len(block):cap(block)])
		block, total = block[:len(block)+n], total+n
		blocks[len(blocks)-1] = block
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
	}
	if err := ctx.Reserve(total); err != nil {
		return "", err
	}
	var text strings.Builder
	text.Grow(total)
	for _, b := range blocks {
		text.Write(b)
		ctx.Unreserve(cap(b))
	}
	return text.String(), nil
}

// decompressStep is how much is decompressed between two looks at whether there
// is room for more.
const decompressStep = 1 << 20

func badCompression(i int, err error) error {
	return status.Errorf(status.DataLoss, "element %d cannot be decompressed: %v", i, err)
}
