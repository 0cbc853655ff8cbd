package strings

import (
	"encoding/base64"
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("StringStrip").
		Input("input: string").Output("output: string").
		Doc("Takes white space off both ends of strings.")
	registry.Define("StringLength").
		Input("input: string").Output("output: int32").
		Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'").
		Doc(`Returns the length of each string.

unit: Whether to count bytes ("BYTE") or code points ("UTF8_CHAR").`)
	registry.Define("EncodeBase64").
		Input("input: string").Output("output: string").
		Attr("pad: bool = false").
		Doc(`Encodes strings in the URL-safe base64 alphabet.

pad: Whether to fill up with "=".`)
	registry.Define("DecodeBase64").
		Input("input: string").Output("output: string").
		Doc("Decodes strings from the URL-safe base64 alphabet, with or without padding.")

	kernel.ForAll(simple(strip, 1), "StringStrip")
	kernel.ForAll(newLength, "StringLength")
	kernel.ForAll(newEncode, "EncodeBase64")
	kernel.ForAll(simple(decodeBase64, 2), "DecodeBase64")

	gradient.None("DecodeBase64", "EncodeBase64")
}

func strip(s string) (string, error) { return own(s, strings.Trim(s, " \t\n\v\f\r")), nil }

func newLength(c *kernel.Construction) (kernel.Kernel, error) {
	count := func(s string) (int32, error) { return int32(len(s)), nil }
	if c.Str("unit") == unitCharacter {
		count = func(s string) (int32, error) { return int32(characters(s)), nil }
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return mapTo(ctx, in, out, count)
	}), nil
}

func newEncode(c *kernel.Construction) (kernel.Kernel, error) {
	encoding := base64.RawURLEncoding
	if c.Bool("pad") {
		encoding = base64.URLEncoding
	}
	return &text{func(s string) (string, error) { return encoding.EncodeToString([]byte(s)), nil }, 5}, nil
}

func decodeBase64(s string) (string, error) {
	if len(s)%4 == 1 {
		return "", status.Invalid("Base64 string length cannot be 1 modulo 4.")
	}
	if len(s)%4 == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		return "", status.Invalid("Invalid character found in base64.")
	}
	return string(b), nil
}
