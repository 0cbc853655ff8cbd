package audio

import (
	"encoding/binary"
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("DecodeWav").
		Input("contents: string").Output("audio: float").Output("sample_rate: int32").
		Attr("desired_channels: int = -1").
		Attr("desired_samples: int = -1").
		Doc(`Decodes a WAV file of 16-bit samples to numbers from -1 to 1.

contents: The bytes of the file.
audio: A row for each sample, of its channels.
sample_rate: Samples in a second.
desired_channels: How many channels to make, the last one repeated or some left out; -1 for as many as the file has.
desired_samples: How many samples to make, filled up with zeros or cut off; -1 for as many as the file has.`)
	registry.Define("EncodeWav").
		Input("audio: float").Input("sample_rate: int32").Output("contents: string").
		Doc(`Encodes numbers from -1 to 1 as a WAV file of 16-bit samples.

audio: A row for each sample, of its channels; what is beyond -1 and 1 is cut off.
sample_rate: Samples in a second.
contents: The bytes of the file.`)

	shape.Register(decodeWavShape, "DecodeWav")
	shape.Register(shape.Rule("audio: [?,?], sample_rate: [] -> contents: []"), "EncodeWav")
	kernel.ForAll(newDecodeWav, "DecodeWav")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(encodeWav), nil }, "EncodeWav")
}

func decodeWavShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	dim := func(attr string) int64 {
		n := c.Int(attr)
		if n < -1 {
			c.Fail(status.Invalid("%s must be non-negative or -1, got %d", attr, n))
		}
		return n // -1 is unknown here, too
	}
	channels := dim("desired_channels")
	c.SetOutput(0, shape.Of(dim("desired_samples"), channels))
	c.SetOutput(1, shape.Scalar)
	return c.Err()
}

// A wav is the header of a WAV file, and its samples.
type wav struct {
	channels int
	rate     uint32
	samples  string // little-endian, channel by channel
}

// parseWav reads a file of the format that Microsoft's "Multimedia Programming
// Interface and Data Specifications 1.0" describes.
func parseWav(file string) (w wav, err error) {
	rest := file
	take := func(n int) string {
		if n > len(rest) {
			if err == nil {
				err = status.Invalid("Data too short when trying to read %d bytes at %d of a WAV file of %d", n, len(file)-len(rest), len(file))
			}
			return "\x00\x00\x00\x00"[:min(n, 4)]
		}
		s := rest[:n]
		rest = rest[n:]
		return s
	}
	word := func() uint32 { return binary.LittleEndian.Uint32([]byte(take(4))) }
	short := func() uint32 { return uint32(binary.LittleEndian.Uint16([]byte(take(2)))) }
	expect := func(text string) {
		if at := len(file) - len(rest); take(4) != text && err == nil {
			err = status.Invalid("Header mismatch: Expected %s at %d of a WAV file", text, at)
		}
	}
	expect("RIFF")
	word() // the size of the file, which some writers do not know
	expect("WAVE")
	expect("fmt ")
	size := word()
	if err == nil && size != 16 && size != 18 {
		err = status.Invalid("Bad format chunk size for WAV: Expected 16 or 18, but got %d", size)
	}
	format, channels, rate, perSecond, perSample, bits := short(), short(), word(), word(), short(), short()
	switch {
	case err != nil:
		return w, err
	case format != 1:
		return w, status.Invalid("Bad audio format for WAV: Expected 1 (PCM), but got %d", format)
	case channels < 1:
		return w, status.Invalid("Bad number of channels for WAV: Expected at least 1, but got 0")
	case bits != 16:
		return w, status.Invalid("Can only read 16-bit WAV files, but received %d", bits)
	case perSample != 2*channels:
		return w, status.Invalid("Bad bytes per sample in WAV header: Expected %d but got %d", 2*channels, perSample)
	case uint64(perSecond) != uint64(perSample)*uint64(rate):
		return w, status.Invalid("Bad bytes per second in WAV header: Expected %d but got %d", uint64(perSample)*uint64(rate), perSecond)
	}
	if size == 18 {
		take(2)
	}
	w.channels, w.rate = int(channels), rate
	found := false
	for err == nil && rest != "" {
		name := take(4)
		size := word()
		if err != nil {
			break
		}
		if size > math.MaxInt32 {
			return w, status.Invalid("WAV data chunk '%s' is too large: %d bytes, but the limit is %d", name, size, math.MaxInt32)
		}
		if name != "data" {
			take(min(int(size), len(rest))) // one that is cut short is none of ours
			continue
		}
		if found {
			return w, status.Invalid("More than one data chunk found in WAV")
		}
		found = true
		w.samples = take(int(size) / int(perSample) * int(perSample))
	}
	if err == nil && !found {
		err = status.Invalid("No data chunk found in WAV")
	}
	return w, err
}

func newDecodeWav(c *kernel.Construction) (kernel.Kernel, error) {
	wantChannels, wantSamples := c.Int("desired_channels"), c.Int("desired_samples")
	if min(wantChannels, wantSamples) < -1 || max(wantChannels, wantSamples) > math.MaxInt32 {
		return nil, c.Errorf("desired_channels and desired_samples must be -1 or 32-bit numbers that are not negative, got %d and %d", wantChannels, wantSamples)
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if in[0].Rank() != 0 {
			return status.Invalid("contents must be scalar, got shape %s", tensor.FormatDims(in[0].Dims()))
		}
		w, err := parseWav(tensor.At0[string](&in[0]))
		if err != nil {
			return err
		}
		channels, samples := wantChannels, wantSamples
		if channels < 0 {
			channels = int64(w.channels)
		}
		has := len(w.samples) / (2 * w.channels)
		if samples < 0 {
			samples = int64(has)
		}
		if out[0], err = ctx.Alloc(tensor.Float, []int64{samples, channels}); err != nil {
			return err
		}
		to := tensor.Of[float32](&out[0])
		for lo, hi := range ctx.Ranges(len(to), 1<<14) {
			for i := lo; i < hi; i++ {
				sample, channel := i/int(channels), min(i%int(channels), w.channels-1)
				if sample >= has {
					to[i] = 0
					continue
				}
				at := 2 * (sample*w.channels + channel)
				to[i] = float32(int16(w.samples[at])|int16(w.samples[at+1])<<8) / (1 << 15)
			}
		}
		out[1] = tensor.Scalar(int32(w.rate))
		return nil
	}), nil
}

func encodeWav(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	switch {
	case len(dims) != 2:
		return status.Invalid("audio must be 2-dimensional, got shape %s", tensor.FormatDims(dims))
	case in[1].Rank() != 0:
		return status.Invalid("Input sample_rate should be a scalar tensor, got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	rate := tensor.At0[int32](&in[1])
	channels, bytes := dims[1], 2*int64(in[0].NumElements())
	switch {
	case rate <= 0:
		return status.Invalid("sample_rate must be in (0, 2^31), got: %d", rate)
	case channels <= 0 || channels > math.MaxUint16/2:
		return status.Invalid("num_channels must be in (0, 2^15), got: %d", channels)
	case bytes > math.MaxUint32-44:
		return status.Invalid("the samples take more than 2^32 bytes")
	}
	// The strings of a step are on its account before they are made.
	space, err := ctx.Alloc(tensor.Uint8, []int64{44 + bytes})
	if err != nil {
		return err
	}
	defer ctx.Free(space)
	b := tensor.Of[uint8](&space)[:0]
	word := func(x int64) { b = binary.LittleEndian.AppendUint32(b, uint32(x)) }
	short := func(x int64) { b = binary.LittleEndian.AppendUint16(b, uint16(x)) }
	b = append(b, "RIFF"...)
	word(36 + bytes)
	b = append(b, "WAVEfmt "...)
	word(16)
	short(1)
	short(channels)
	word(int64(rate))
	word(int64(rate) * 2 * channels)
	short(2 * channels)
	short(16)
	b = append(b, "data"...)
	word(bytes)
	x := tensor.Of[float32](&in[0])
	for lo, hi := range ctx.Ranges(len(x), 1<<14) {
		for _, x := range x[lo:hi] {
			y := math.Round(float64(x * (1 << 15)))
			if math.IsNaN(y) {
				y = math.MinInt16
			}
			short(int64(min(max(y, math.MinInt16), math.MaxInt16)))
		}
	}
	return ctx.PutText(&out[0], string(b))
}
