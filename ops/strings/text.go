package strings

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("StringStrip").
		Input("input: string").Output("output: string").
		Doc("Takes white space off both ends of strings.")
	registry.Define("StringLength").
		Input("input: string").Output("output: int32").
		Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'").
		Doc(`Tells the length of strings.

unit: Whether to count bytes or characters.`)
	registry.Define("Substr").
		Input("input: string").Input("pos: T").Input("len: T").Output("output: string").
		Attr("T: {int32, int64}").
		Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'").
		Doc(`Cuts substrings out, with broadcasting.

pos: Where they begin; negative counts from the end.
len: How long they are; less where the string ends.
unit: Whether to count bytes or characters.`)
	registry.Define("EncodeBase64").
		Input("input: string").Output("output: string").
		Attr("pad: bool = false").
		Doc(`Encodes strings in the URL-safe base64 alphabet.

pad: Whether to fill up with "=".`)
	registry.Define("DecodeBase64").
		Input("input: string").Output("output: string").
		Doc("Decodes strings from the URL-safe base64 alphabet, with or without padding.")
}
