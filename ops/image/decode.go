package image

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/ops/image/jpeg"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(newDecoder, "DecodeImage", "DecodeJpeg", "DecodePng")
}

// A decoder is the kernel of the operations that decode images. All take files
// of several formats, whatever they are called.
type decoder struct {
	op       string
	channels int // 0 for those of the file
	dt       tensor.DType
	expand   bool // whether all frames of an animation are wanted
	still    bool // whether an animation is an error
	// For JPEG files, with the least part of lines that must be there.
	jpegOptions jpeg.Options
	fraction    float32
}

func newDecoder(c *kernel.Construction) (kernel.Kernel, error) {
	k := &decoder{op: c.Op.Name, channels: int(c.Int("channels")), dt: tensor.Uint8, jpegOptions: jpeg.Options{Ratio: 1, Fancy: true}, fraction: 1}
	if k.channels != 0 && k.channels != 1 && k.channels != 3 && k.channels != 4 {
		return nil, c.Errorf("`channels` must be 0, 1, 3 or 4 but got %d", k.channels)
	}
	switch k.op {
	case "DecodeImage":
		k.dt, k.expand = c.Type("dtype"), c.Bool("expand_animations")
		return k, nil
	case "DecodeGif":
		k.channels, k.expand = 3, true
		return k, nil
	case "DecodePng":
		k.dt, k.still = c.Type("dtype"), true
		return k, nil
	case "DecodeBmp":
		return k, nil
	}
	k.still = true
	k.jpegOptions.Fancy, k.jpegOptions.Recover = c.Bool("fancy_upscaling"), c.Bool("try_recover_truncated")
	k.fraction = c.Float("acceptable_fraction")
	switch ratio := c.Int("ratio"); ratio {
	case 1, 2, 4, 8:
		k.jpegOptions.Ratio = int(ratio)
	default:
		return nil, c.Errorf("ratio must be 1, 2, 4, or 8, got %d", ratio)
	}
	switch method := c.Str("dct_method"); method {
	case "", "INTEGER_FAST":
	case "INTEGER_ACCURATE":
		k.jpegOptions.Accurate = true
	default:
		return nil, c.Errorf("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
	}
	return k, nil
}

func (k *decoder) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 0 {
		return status.Invalid("`contents` must be scalar but got shape%s", tensor.FormatDims(in[0].Dims()))
	}
	file := tensor.At0[string](&in[0])
	if file == "" {
		return status.Invalid("Input is empty.")
	}
	format := formatOf(file)
	if format == "" {
		return status.Invalid("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")
	}
	if err := k.refuse(format); err != nil {
		return err
	}
	var err error
	switch format {
	case "JPEG":
		var window []int32
		if k.op == "DecodeAndCropJpeg" {
			if window, err = cropWindow(&in[1]); err != nil {
				return err
			}
		}
		err = k.jpeg(ctx, file, window, &out[0])
	case "PNG":
		err = k.png(ctx, in, out)
	case "GIF":
		return k.gif(ctx, file, &out[0])
	case "BMP":
		return k.bmp(ctx, file, &out[0])
	}
	switch {
	case err != nil:
		return err
	case k.op == "DecodeGif":
		out[0].SetDims(append([]int64{1}, out[0].Dims()...))
	}
	return nil
}

// png decodes with the kernel of DecodePng; floats are made of 16 bits.
func (k *decoder) png(ctx *kernel.Context, in, out []tensor.Value) error {
	if k.dt != tensor.Float {
		return pngDecoder{k.channels, k.dt}.Run(ctx, in, out)
	}
	var words [1]tensor.Value
	if err := (pngDecoder{k.channels, tensor.Uint16}).Run(ctx, in, words[:]); err != nil {
		return err
	}
	defer ctx.Free(words[0])
	v, err := ctx.Alloc(tensor.Float, words[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	from, to := tensor.Of[uint16](&words[0]), tensor.Of[float32](&out[0])
	for lo, hi := range ctx.Ranges(len(from), 1<<18) {
		for i := lo; i < hi; i++ {
			to[i] = float32(from[i]) * (1.0 / math.MaxUint16)
		}
	}
	return nil
}

// A canvas is the result, filled up channel by channel from numbers of 8 bits.
type canvas struct {
	bytes  []uint8
	words  []uint16
	floats []float32
}

// alloc makes the result.
func (k *decoder) alloc(ctx *kernel.Context, out *tensor.Value, dims ...int) (c canvas, err error) {
	shape := make([]int64, len(dims))
	for i, d := range dims {
		shape[i] = int64(d)
	}
	if *out, err = ctx.Alloc(k.dt, shape); err != nil {
		return c, err
	}
	switch k.dt {
	case tensor.Uint8:
		c.bytes = tensor.Of[uint8](out)
	case tensor.Uint16:
		c.words = tensor.Of[uint16](out)
	default:
		c.floats = tensor.Of[float32](out)
	}
	return c, nil
}

func (c *canvas) set(i int, x uint8) {
	switch {
	case c.bytes != nil:
		c.bytes[i] = x
	case c.words != nil:
		c.words[i] = uint16(x) << 8
	default:
		c.floats[i] = float32(x) * (1.0 / math.MaxUint8)
	}
}
