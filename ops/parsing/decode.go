package parsing

import "github.com/troupe-go/troupe/registry"

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
	registry.Define("DecodeProtoV2").
		Input("bytes: string").Output("sizes: int32").Output("values: output_types").
		Attr("message_type: string").
		Attr("field_names: list(string)").
		Attr("output_types: list(type) >= 0").
		Attr("descriptor_source: string = 'local://'").
		Attr("message_format: string = 'binary'").
		Attr("sanitize: bool = false").
		Doc(`Takes fields out of serialized protocol buffer messages.

bytes: The messages.
sizes: How many values each field has in each message.
values: For each field its values, filled up to the longest.
message_type: The full name of the messages' type.
field_names: The fields.
output_types: The types of the fields.
descriptor_source: Where the type is described: "local://", "bytes://" and a serialized FileDescriptorSet, or the name of a file with one.
message_format: "binary" or "text".
sanitize: Whether messages are parsed and serialized again first.`)
	registry.Define("ParseTensor").
		Input("serialized: string").Output("output: out_type").
		Attr("out_type: type").
		Doc(`Makes a tensor of a serialized TensorProto, which SerializeTensor gives.

out_type: The type of the tensor; that of another one is an error.`)
	registry.Define("SerializeTensor").
		Input("tensor: T").Output("serialized: string").
		Attr("T: type").
		Doc("Serializes a tensor as a TensorProto, which ParseTensor reads.")
}
