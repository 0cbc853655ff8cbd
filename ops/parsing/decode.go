package parsing

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

func init() {
	registry.Define("DecodeCSV").
		Input("records: string").Input("record_defaults: OUT_TYPE").Output("output: OUT_TYPE").
		Attr("OUT_TYPE: list({float, double, int32, int64, string}) >= 1").
		Attr("field_delim: string = ','").
		Attr("use_quote_delim: bool = true").
		Attr("na_value: string = ''").
		Attr("select_cols: list(int) = []").
		Doc(`Splits lines of comma-separated values into columns.

records: One line an element.
record_defaults: For each column the value of an empty field; an empty tensor if there must be a value.
output: The columns.
field_delim: What separates fields.
use_quote_delim: Whether fields may stand in quotes.
na_value: Another text that stands for an empty field.
select_cols: Which columns; none means all.`)
	registry.Define("DecodeRaw").
		Input("bytes: string").Output("output: out_type").
		Attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, bfloat16}").
		Attr("little_endian: bool = true").
		Doc(`Reads the bytes of strings as numbers.

bytes: Strings of one length.
output: The numbers, in one more dimension.
out_type: The type of the numbers.
little_endian: Whether the lowest byte of a number comes first.`)
	registry.Define("DecodePaddedRaw").
		Input("input_bytes: string").Input("fixed_length: int32").Output("output: out_type").
		Attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}").
		Attr("little_endian: bool = true").
		Doc(`Reads the bytes of strings as numbers, after they are cut or filled up with zeros to one length.

input_bytes: The strings.
fixed_length: The length in bytes.
output: The numbers, in one more dimension.
out_type: The type of the numbers.
little_endian: Whether the lowest byte of a number comes first.`)
	registry.Define("ParseTensor").
		Input("serialized: string").Output("output: out_type").
		Attr("out_type: type").
		Doc(`Decodes a serialized TensorProto, such as SerializeTensor returns.

out_type: The type of the tensor; that of another one is an error.`)
	registry.Define("SerializeTensor").
		Input("tensor: T").Output("serialized: string").
		Traits(registry.Scalar | registry.Total).
		Attr("T: type").
		Doc("Serializes a tensor as a TensorProto, which ParseTensor reads.")

	kernel.ForAll(newDecodeRaw, "DecodeRaw")
	kernel.Register(kernel.Registration{Op: "DecodePaddedRaw", Types: map[string][]tensor.DType{"out_type": {
		tensor.Float, tensor.Double, tensor.Int32, tensor.Uint16, tensor.Uint8, tensor.Int16, tensor.Int8, tensor.Int64, tensor.Bfloat16,
	}}, New: newDecodePadded})
	kernel.ForAll(newParseTensor, "ParseTensor")
	kernel.Register(kernel.Registration{Op: "SerializeTensor", Types: map[string][]tensor.DType{"T": {
		tensor.Float, tensor.Double, tensor.Int32, tensor.Uint8, tensor.Int16, tensor.Int8, tensor.String, tensor.Complex64, tensor.Int64, tensor.Bool,
		tensor.Bfloat16, tensor.Uint16, tensor.Complex128, tensor.Half, tensor.Resource, tensor.Variant, tensor.Uint32, tensor.Uint64,
	}}, New: func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(serialize), nil }})

	gradient.None("DecodeRaw", "DecodePaddedRaw", "DecodeProtoV2", "ParseTensor", "SerializeTensor")
}

// A raw is how numbers lie in strings.
type raw struct {
	dt      tensor.DType
	reverse int // the bytes of what is turned around, 1 for nothing
}

func newRaw(c *kernel.Construction) raw {
	r := raw{c.Type("out_type"), 1}
	if !c.Bool("little_endian") {
		r.reverse = r.dt.Size()
		if r.dt == tensor.Complex64 || r.dt == tensor.Complex128 {
			r.reverse /= 2
		}
	}
	return r
}

// numbers are the strings as rows of length bytes; shorter ones are filled up
// with zeros, longer ones are cut.
func (r raw) numbers(ctx *kernel.Context, v *tensor.Value, length int) (tensor.Value, error) {
	dims := append(append([]int64(nil), v.Dims()...), int64(length/r.dt.Size()))
	o, err := ctx.AllocZeroed(r.dt, dims)
	if err != nil || o.NumElements() == 0 {
		return o, err
	}
	all := tensor.Bytes(&o)
	for i, s := range tensor.Of[string](v) {
		if i&1023 == 0 && ctx.Err() != nil {
			return o, ctx.Err()
		}
		row := all[i*length : (i+1)*length]
		copy(row, s)
		if n := r.reverse; n > 1 {
			for ; len(row) > 0; row = row[n:] {
				for a, b := 0, n-1; a < b; a, b = a+1, b-1 {
					row[a], row[b] = row[b], row[a]
				}
			}
		}
		if r.dt == tensor.Bool {
			for k := range row {
				row[k] = min(row[k], 1)
			}
		}
	}
	return o, nil
}

func newDecodeRaw(c *kernel.Construction) (kernel.Kernel, error) {
	r := newRaw(c)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) (err error) {
		length := 0
		for i, s := range tensor.Of[string](&in[0]) {
			if i == 0 {
				length = len(s)
			} else if len(s) != length {
				return status.Invalid("DecodeRaw requires input strings to all be the same size, but element %d has size %d != %d", i, length, len(s))
			}
		}
		if length%r.dt.Size() != 0 {
			return status.Invalid("Input to DecodeRaw has length %d that is not a multiple of %d, the size of %v", length, r.dt.Size(), r.dt)
		}
		out[0], err = r.numbers(ctx, &in[0], length)
		return err
	}), nil
}

func newDecodePadded(c *kernel.Construction) (kernel.Kernel, error) {
	r := newRaw(c)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if in[1].Rank() != 0 {
			return status.Invalid("k must be scalar, got shape %s", tensor.FormatDims(in[1].Dims()))
		}
		length := int(tensor.At0[int32](&in[1]))
		if length <= 0 {
			return status.Invalid("fixed_length (%d) must be greater than zero.", length)
		}
		if length%r.dt.Size() != 0 {
			return status.Invalid("fixed_length (%d) must be a multiple of the size of out_type (%d)", length, r.dt.Size())
		}
		var err error
		out[0], err = r.numbers(ctx, &in[0], length)
		return err
	}), nil
}

func newParseTensor(c *kernel.Construction) (kernel.Kernel, error) {
	want := c.Type("out_type")
	return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
		if in[0].Rank() != 0 {
			return status.Invalid("Expected `serialized` to be a scalar, got shape: %s", tensor.FormatDims(in[0].Dims()))
		}
		t, err := tensorproto.Unmarshal([]byte(tensor.At0[string](&in[0])), 0)
		if err != nil {
			return status.Errorf(status.CodeOf(err), "Could not parse `serialized` as TensorProto: %s", status.From(err).Message)
		}
		if t.DType() != want {
			return status.Invalid("Type mismatch between parsed tensor (%v) and dtype (%v)", t.DType(), want)
		}
		v := tensor.ValueOf(t)
		if want == tensor.Variant {
			if v, err = tensor.DecodeVariants(v); err != nil {
				return err
			}
		}
		out[0] = v
		return nil
	}), nil
}

func serialize(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].DType() == tensor.Variant {
		b, err := tensorproto.MarshalVariants(in[0].Peek(), func(n int) error {
			if err := ctx.Reserve(n); err != nil {
				return err
			}
			return ctx.Err()
		})

		if err != nil {
			return err
		}
		return ctx.PutText(&out[0], string(b))
	}
	marshal := tensorproto.MarshalContent
	if in[0].DType() == tensor.String {
		marshal = tensorproto.Marshal
	}
	// The message is there twice in the end, and while it grows.
	if err := ctx.Reserve(4 * int(in[0].TotalBytes())); err != nil {
		return err
	}
	b, err := marshal(in[0].Peek())
	if err != nil {
		return err
	}
	return ctx.PutText(&out[0], string(b))
}
