package logging

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// Fields of the messages Summary, Summary.Value and HistogramProto, and of
// Summary.Audio.
const (
	summaryValue = 1

	valueTag       = 1
	valueSimple    = 2
	valueImage     = 4
	valueHistogram = 5
	valueAudio     = 6
	valueNode      = 7
	valueTensor    = 8
	valueMetadata  = 9

	histogramMin     = 1
	histogramMax     = 2
	histogramCount   = 3
	histogramSum     = 4
	histogramSquares = 5
	histogramLimits  = 6
	histogramBuckets = 7

	imageHeight   = 1
	imageWidth    = 2
	imageChannels = 3
	imageBytes    = 4

	audioRate     = 1
	audioChannels = 2
	audioFrames   = 3
	audioBytes    = 4
	audioType     = 5
)

func init() {
	for _, dt := range elementwise.Reals {
		kernel.ForType("ScalarSummary", "T", dt, func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(scalarSummary), nil })
		kernel.ForType("HistogramSummary", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return histogramSummary(c.Node), nil
		})
	}
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(mergeSummary), nil }, "MergeSummary")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		node := c.Node
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			b, err := tensorField(ctx, appendText(nil, valueNode, node), &in[0], 0)
			if err != nil {
				return err
			}
			return putSummary(ctx, &out[0], b)
		}), nil
	}, "TensorSummary")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(taggedTensorSummary), nil }, "TensorSummaryV2")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return audioSummary(c.Int("max_outputs")), nil }, "AudioSummaryV2")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		k, rate := audioSummary(c.Int("max_outputs")), tensor.Scalar(c.Float("sample_rate"))
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			return k.Run(ctx, []tensor.Value{in[0], in[1], rate}, out)
		}), nil
	}, "AudioSummary")
}

func appendText(b []byte, field protowire.Number, s string) []byte {
	if s == "" && field == valueTag { // as messages leave it out
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

// appendLength appends what stands before a field of n bytes.
func appendLength(b []byte, field protowire.Number, n int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(n))
}

func appendMessage(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}

// reals reads the elements of a tensor of real numbers.
func reals(v *tensor.Value) func(i int) float64 {
	switch v.DType() {
	case tensor.Half:
		x := tensor.Of[tensor.Float16](v)
		return func(i int) float64 { return float64(x[i].Float32()) }
	case tensor.Bfloat16:
		x := tensor.Of[tensor.BFloat16](v)
		return func(i int) float64 { return float64(x[i].Float32()) }
	case tensor.Float:
		return at[float32](v)
	case tensor.Double:
		return at[float64](v)
	case tensor.Int8:
		return at[int8](v)
	case tensor.Int16:
		return at[int16](v)
	case tensor.Int32:
		return at[int32](v)
	case tensor.Int64:
		return at[int64](v)
	case tensor.Uint8:
		return at[uint8](v)
	case tensor.Uint16:
		return at[uint16](v)
	case tensor.Uint32:
		return at[uint32](v)
	default:
		return at[uint64](v)
	}
}

func at[T elementwise.Real](v *tensor.Value) func(i int) float64 {
	x := tensor.Of[T](v)
	return func(i int) float64 { return float64(x[i]) }
}

// scalarSummary returns the kernel of ScalarSummary.
func scalarSummary(ctx *kernel.Context, in, out []tensor.Value) error {
	tags, values := &in[0], &in[1]
	n := tags.NumElements()
	if n != values.NumElements() || n != 1 && !tensor.SameShape(*tags, *values) || tags.Rank() != values.Rank() {
		hint := ""
		if n == 1 {
			hint = fmt.Sprintf(" (tag '%s')", tensor.At0[string](tags))
		}
		return status.Invalid("tags and values are not the same shape: %s != %s%s", tensor.FormatDims(tags.Dims()), tensor.FormatDims(values.Dims()), hint)
	}
	size := 0 // of the summary, at most
	for _, tag := range tensor.Of[string](tags) {
		size += len(tag) + 32
	}
	if err := ctx.Reserve(2 * size); err != nil { // its text, too
		return err
	}
	b := make([]byte, 0, size)
	x := reals(values)
	var v []byte
	for i, tag := range tensor.Of[string](tags) {
		if i%(1<<12) == 1<<12-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		v = v[:0]
		if tag != "" {
			v = appendText(v, valueTag, tag)
		}
		v = protowire.AppendTag(v, valueSimple, protowire.Fixed32Type)
		v = protowire.AppendFixed32(v, math.Float32bits(float32(x(i))))
		b = appendMessage(b, summaryValue, v)
	}
	return ctx.PutText(&out[0], string(b))
}

// limits are the upper bounds of a histogram's buckets, each a tenth farther from
// 0 than the one before it.
var limits = func() []float64 {
	var up []float64
	for v := 1e-12; v < 1e20; v *= 1.1 {
		up = append(up, v)
	}
	up = append(up, math.MaxFloat64)
	var all []float64
	for i := len(up) - 1; i >= 0; i-- {
		all = append(all, -up[i])
	}
	return append(append(all, 0), up...)
}()

// histogramSummary makes the kernel of HistogramSummary.
func histogramSummary(node string) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if in[0].Rank() != 0 {
			return status.Invalid("tags must be scalar")
		}
		low, high, sum, squares := math.MaxFloat64, -math.MaxFloat64, 0.0, 0.0
		counts := make([]float64, len(limits))
		x, n := reals(&in[1]), in[1].NumElements()
		for i := range n {
			if i%(1<<12) == 1<<12-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			v := x(i)
			switch {
			case math.IsNaN(v):
				return status.Invalid("Nan in summary histogram for: %s", node)
			case math.IsInf(v, 0):
				return status.Invalid("Infinity in Histogram for: %s", node)
			}
			bucket := sort.Search(len(limits), func(j int) bool { return v < limits[j] })
			counts[min(bucket, len(counts)-1)]++
			low, high = min(low, v), max(high, v)
			sum += v
			squares += v * v
		}
		var h, ends, each []byte
		for i, v := range []float64{low, high, float64(n), sum, squares} {
			if math.Float64bits(v) != 0 {
				h = protowire.AppendTag(h, histogramMin+protowire.Number(i), protowire.Fixed64Type)
				h = protowire.AppendFixed64(h, math.Float64bits(v))
			}
		}
		for i := 0; i < len(limits); i++ {
			for counts[i] == 0 && i+1 < len(limits) && counts[i+1] == 0 { // empty ones are one
				i++
			}
			if counts[i] == 0 && i+1 < len(limits) {
				ends, each = appendDouble(ends, limits[i]), appendDouble(each, 0)
				continue
			}
			ends, each = appendDouble(ends, limits[i]), appendDouble(each, counts[i])
		}
		h = appendMessage(appendMessage(h, histogramLimits, ends), histogramBuckets, each)
		tag := tensor.At0[string](&in[0])
		var before []byte
		if tag != "" { // as messages leave it out
			before = appendLength(nil, valueTag, len(tag))
		}
		behind := appendMessage(nil, valueHistogram, h)
		head := appendLength(nil, summaryValue, len(before)+len(tag)+len(behind))
		room := len(head) + len(before) + len(tag) + len(behind)
		if err := ctx.Reserve(room); err != nil {
			return err
		}
		var text strings.Builder
		text.Grow(room)
		text.Write(head)
		text.Write(before)
		text.WriteString(tag)
		text.Write(behind)
		return ctx.PutText(&out[0], text.String())
	})
}

func appendDouble(b []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

// mergeSummary returns the kernel of MergeSummary.
func mergeSummary(ctx *kernel.Context, in, out []tensor.Value) error {
	seen := map[string]bool{}
	var all []byte
	for i := range in {
		for _, text := range tensor.Of[string](&in[i]) {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := []byte(text)
			for len(b) > 0 {
				field, kind, n := protowire.ConsumeField(b)
				if n < 0 {
					return status.Invalid("Could not parse one of the summary inputs")
				}
				_, _, head := protowire.ConsumeTag(b)
				if field == summaryValue {
					value, m := protowire.ConsumeBytes(b[head:n])
					if kind != protowire.BytesType || m < 0 {
						return status.Invalid("Could not parse one of the summary inputs")
					}
					tag, ok := tagOf(value)
					switch {
					case !ok:
						return status.Invalid("Could not parse one of the summary inputs")
					case tag != "" && seen[tag]:
						return status.Invalid("Duplicate tag %s found in summary inputs ", tag)
					}
					seen[tag] = true
					all = append(all, b[:n]...)
				}
				b = b[n:]
			}
		}
	}
	return ctx.PutText(&out[0], string(all))
}

// tagOf returns the tag of a Summary.Value.
func tagOf(b []byte) (tag string, ok bool) {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeField(b)
		if n < 0 {
			return "", false
		}
		if field == valueTag && kind == protowire.BytesType {
			_, _, head := protowire.ConsumeTag(b)
			s, _ := protowire.ConsumeBytes(b[head:n])
			tag = string(s)
		}
		b = b[n:]
	}
	return tag, true
}

// fieldCopies is how often what goes into a message is in memory at a time, the
// message with its text included.
const fieldCopies = 6

// tensorField appends v as a TensorProto, with its elements as content. It leaves room
// for a text of so many bytes.
func tensorField(ctx *kernel.Context, b []byte, v *tensor.Value, text int) ([]byte, error) {
	if err := ctx.Reserve(fieldCopies * int(v.TotalBytes())); err != nil {
		return nil, err
	}
	t := v.Tensor()
	if t.DType().HasPointers() {
		m, err := tensorproto.Marshal(t)
		return appendMessage(b, valueTensor, m), err
	}
	m := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(t.DType()))
	var dims []byte
	for _, d := range t.Dims() {
		var size []byte
		if d != 0 {
			size = protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(d))
		}
		dims = appendMessage(dims, 2, size)
	}
	m = appendMessage(m, 2, dims)
	size := t.NumElements() * t.DType().Size()
	if size > 0 {
		m = protowire.AppendVarint(protowire.AppendTag(m, 4, protowire.BytesType), uint64(size))
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, valueTensor, protowire.BytesType), uint64(len(m)+size))
	message := bytes.NewBuffer(make([]byte, 0, len(b)+len(m)+size+text+16))
	message.Write(b)
	message.Write(m)
	_, err := t.WriteContentsTo(asking{ctx, message})
	return message.Bytes(), err
}

// An asking writer forwards a piece at a time, while the step goes on.
type asking struct {
	ctx *kernel.Context
	to  io.Writer
}

func (w asking) Write(b []byte) (int, error) {
	for done := 0; done < len(b); {
		if err := w.ctx.Err(); err != nil {
			return done, err
		}
		n, err := w.to.Write(b[done:min(len(b), done+1<<20)])
		if done += n; err != nil {
			return done, err
		}
	}
	return len(b), nil
}

// taggedTensorSummary returns the kernel of TensorSummaryV2.
func taggedTensorSummary(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 0 {
		return status.Invalid("tag must be scalar")
	}
	if in[2].Rank() != 0 {
		return status.Invalid("serialized_summary_metadata must be scalar")
	}
	tag, metadata := tensor.At0[string](&in[0]), tensor.At0[string](&in[2])
	if err := ctx.Reserve(3*len(tag) + 2*len(metadata)); err != nil {
		return err
	}
	b, err := tensorField(ctx, appendText(nil, valueTag, tag), &in[1], len(metadata))
	if err != nil {
		return err
	}
	return putSummary(ctx, &out[0], appendText(b, valueMetadata, metadata))
}

// putSummary puts a summary of one value out.
func putSummary(ctx *kernel.Context, out *tensor.Value, value []byte) error {
	head := protowire.AppendVarint(protowire.AppendTag(nil, summaryValue, protowire.BytesType), uint64(len(value)))
	var text strings.Builder
	text.Grow(len(head) + len(value))
	text.Write(head)
	if _, err := (asking{ctx, &text}).Write(value); err != nil {
		return err
	}
	return ctx.PutText(out, text.String())
}

// audioSummary makes the kernel of AudioSummaryV2.
func audioSummary(most int64) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		sounds := &in[1]
		if in[0].Rank() != 0 {
			return status.Invalid("Tag must be a scalar")
		}
		if sounds.Rank() != 2 && sounds.Rank() != 3 {
			return status.Invalid("Tensor must be 3-D or 2-D, got: %s", tensor.FormatDims(sounds.Dims()))
		}
		if in[2].NumElements() != 1 {
			return status.Invalid("sample_rate must be scalar")
		}
		rate := tensor.At0[float32](&in[2])
		if !(rate > 0) {
			return status.Invalid("sample_rate must be > 0")
		}
		tag := tensor.At0[string](&in[0])
		n, frames, channels := int64(sounds.Dim(0)), sounds.Dim(1), 1
		if sounds.Rank() == 3 {
			channels = sounds.Dim(2)
		}
		x, size := tensor.Of[float32](sounds), frames*channels
		count := max(0, int(min(n, most)))
		if count > 0 {
			if err := checkWave(size, float64(rate), channels); err != nil {
				return err
			}
		}
		file := waveHeader + 2*size
		room := count * (file + len(tag) + 100) // with the fields around
		if err := ctx.Reserve(room); err != nil {
			return err
		}
		var text strings.Builder
		text.Grow(room)
		end := appendText(nil, audioType, "audio/wav")
		var head, value, name, a []byte // of one sound after another; the name without the tag
		for i := range count {
			name = append(name[:0], "/audio"...)
			if most > 1 {
				name = strconv.AppendInt(append(name, '/'), int64(i), 10)
			}
			a = protowire.AppendFixed32(protowire.AppendTag(a[:0], audioRate, protowire.Fixed32Type), math.Float32bits(rate))
			a = protowire.AppendVarint(protowire.AppendTag(a, audioChannels, protowire.VarintType), uint64(channels))
			if frames > 0 {
				a = protowire.AppendVarint(protowire.AppendTag(a, audioFrames, protowire.VarintType), uint64(frames))
			}
			a = appendLength(a, audioBytes, file)
			value = appendLength(value[:0], valueTag, len(tag)+len(name))
			name = appendLength(name, valueAudio, len(a)+file+len(end))
			head = appendLength(head[:0], summaryValue, len(value)+len(tag)+len(name)+len(a)+file+len(end))
			text.Write(head)
			text.Write(value)
			text.WriteString(tag)
			text.Write(name)
			text.Write(a)
			if err := writeWave(asking{ctx, &text}, x[i*size:][:size], float64(rate), channels); err != nil {
				return err
			}
			text.Write(end)
		}
		return ctx.PutText(&out[0], text.String())
	})
}

// checkWave returns what is wrong with a WAVE file of n samples.
func checkWave(n int, rate float64, channels int) error {
	switch {
	case channels <= 0:
		return status.Invalid("num_channels must be positive, got: %d", channels)
	case channels > math.MaxInt16:
		return status.Invalid("num_channels must be in (0, 2^15), got: %d", channels)
	case rate >= 1<<32:
		return status.Invalid("sample_rate must be in (0, 2^32), got: %.0f", rate)
	case int64(n) >= (1<<32-44)/2:
		return status.Invalid("Provided channels and frames cannot be encoded as a WAV.")
	}
	return nil
}

// waveHeader is how many bytes a WAVE file has before the samples.
const waveHeader = 44

// writeWave writes a WAVE file of 16-bit samples.
func writeWave(to io.Writer, x []float32, rate float64, channels int) error {
	hertz, each := uint32(max(1, math.RoundToEven(float64(rate)))), uint32(2*channels)
	var piece [4 << 10]byte
	b := binary.LittleEndian.AppendUint32(append(piece[:0], "RIFF"...), uint32(waveHeader-8+2*len(x)))
	b = binary.LittleEndian.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint16(b, uint16(channels))
	b = binary.LittleEndian.AppendUint32(b, hertz)
	b = binary.LittleEndian.AppendUint32(b, hertz*each)
	b = binary.LittleEndian.AppendUint16(b, uint16(each))
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), uint32(2*len(x)))
	for _, v := range x {
		if len(b) == len(piece) {
			if _, err := to.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
		v = min(max(v*(1<<15), math.MinInt16), math.MaxInt16)
		if v != v {
			v = 0
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(math.Round(float64(v)))))
	}
	_, err := to.Write(b)
	return err
}
