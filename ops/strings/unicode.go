package strings

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("UnicodeDecode").
		Input("input: string").Output("row_splits: Tsplits").Output("char_values: int32").
		Attr("input_encoding: string").
		Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'").
		Attr("replacement_char: int = 65533").
		Attr("replace_control_characters: bool = false").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Decodes strings into code points, in a ragged matrix.

row_splits: Where the code points of each string begin and end.
char_values: The code points of all strings.
input_encoding: The encoding, such as "UTF-8" or "UTF-16-BE".
errors: What to do about malformed text: "strict", "replace" or "ignore".
replacement_char: The code point that "replace" puts in.
replace_control_characters: Whether C0 control characters are replaced.`)
	registry.Define("UnicodeDecodeWithOffsets").
		Input("input: string").Output("row_splits: Tsplits").Output("char_values: int32").
		Output("char_to_byte_starts: int64").
		Attr("input_encoding: string").
		Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'").
		Attr("replacement_char: int = 65533").
		Attr("replace_control_characters: bool = false").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Decodes strings into code points, and tells where each begins.

row_splits: Where the code points of each string begin and end.
char_values: The code points of all strings.
char_to_byte_starts: The byte at which each begins in its string.
input_encoding: The encoding, such as "UTF-8" or "UTF-16-BE".
errors: What to do about malformed text: "strict", "replace" or "ignore".
replacement_char: The code point that "replace" puts in.
replace_control_characters: Whether C0 control characters are replaced.`)
	registry.Define("UnicodeEncode").
		Input("input_values: int32").Input("input_splits: Tsplits").Output("output: string").
		Attr("errors: {'ignore', 'replace', 'strict'} = 'replace'").
		Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}").
		Attr("replacement_char: int = 65533").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Encodes the code points of each row of a ragged matrix into a string.

input_values: The code points of all rows.
input_splits: Where rows begin and end.
errors: What to do about what is no code point: "strict", "replace" or "ignore".
replacement_char: The code point that "replace" puts in.`)
	registry.Define("UnicodeTranscode").
		Input("input: string").Output("output: string").
		Attr("input_encoding: string").
		Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}").
		Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'").
		Attr("replacement_char: int = 65533").
		Attr("replace_control_characters: bool = false").
		Doc(`Turns strings from one encoding into another.

input_encoding: The encoding, such as "UTF-8" or "UTF-16-BE".
errors: What to do about malformed text: "strict", "replace" or "ignore".
replacement_char: The code point that "replace" puts in.
replace_control_characters: Whether C0 control characters are replaced.`)
	registry.Define("UnicodeScript").
		Input("input: int32").Output("output: int32").
		Doc("Tells the script of code points, as the numbers of ICU's UScriptCode; -1 for what is no code point.")
}
