package strings

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/troupe-go/troupe/status"
)

// A decoder is the first code point of s, which is not empty, and how many
// bytes it takes; ok is false if they are malformed.
type decoder func(s string) (r rune, size int, ok bool)

// newDecoder finds the decoder of a text of an encoding, and how many bytes of
// it are a mark of the byte order and no text. Names are taken as ICU takes
// them, without regard to case, dashes, underscores and spaces.
func newDecoder(encoding string) (func(s string) (d decoder, mark int), error) {
	name := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(encoding))
	if d, ok := decoders[name]; ok {
		return func(string) (decoder, int) { return d, 0 }, nil
	}
	switch name {
	case "utf16":
		return marked("\xff\xfe", "\xfe\xff", decoders["utf16le"], decoders["utf16be"]), nil
	case "utf32":
		return marked("\xff\xfe\x00\x00", "\x00\x00\xfe\xff", decoders["utf32le"], decoders["utf32be"]), nil
	}
	return nil, status.Invalid("Could not create converter for input encoding: %s", encoding)
}

// marked is for text that a byte order mark may begin; without one it is
// big-endian.
func marked(markLittle, markBig string, little, big decoder) func(s string) (decoder, int) {
	return func(s string) (decoder, int) {
		switch {
		case strings.HasPrefix(s, markLittle):
			return little, len(markLittle)
		case strings.HasPrefix(s, markBig):
			return big, len(markBig)
		}
		return big, 0
	}
}

var decoders = map[string]decoder{
	"utf8":     decode,
	"utf16be":  decode16(binary.BigEndian),
	"utf16le":  decode16(binary.LittleEndian),
	"utf32be":  decode32(binary.BigEndian),
	"utf32le":  decode32(binary.LittleEndian),
	"ascii":    decodeASCII,
	"usascii":  decodeASCII,
	"latin1":   decodeLatin1,
	"iso88591": decodeLatin1,
}

func decode16(order binary.ByteOrder) decoder {
	return func(s string) (rune, int, bool) {
		if len(s) < 2 {
			return utf8.RuneError, len(s), false
		}
		r := rune(order.Uint16([]byte(s[:2])))
		if !utf16.IsSurrogate(r) {
			return r, 2, true
		}
		if len(s) >= 4 {
			if pair := utf16.DecodeRune(r, rune(order.Uint16([]byte(s[2:4])))); pair != utf8.RuneError {
				return pair, 4, true
			}
		} else if r < 0xdc00 {
			return utf8.RuneError, len(s), false // the beginning of a pair
		}
		return utf8.RuneError, 2, false
	}
}

func decode32(order binary.ByteOrder) decoder {
	return func(s string) (rune, int, bool) {
		if len(s) < 4 {
			return utf8.RuneError, len(s), false
		}
		r := order.Uint32([]byte(s[:4]))
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return utf8.RuneError, 4, false
		}
		return rune(r), 4, true
	}
}

func decodeASCII(s string) (rune, int, bool) { return rune(s[0]), 1, s[0] < utf8.RuneSelf }

func decodeLatin1(s string) (rune, int, bool) { return rune(s[0]), 1, true }

// encoders append a code point to text of an encoding.
var encoders = map[string]func(b []byte, r rune) []byte{
	"UTF-8": utf8.AppendRune,
	"UTF-16-BE": func(b []byte, r rune) []byte {
		var units [2]uint16
		for _, u := range utf16.AppendRune(units[:0], r) {
			b = binary.BigEndian.AppendUint16(b, u)
		}
		return b
	},
	"UTF-32-BE": func(b []byte, r rune) []byte { return binary.BigEndian.AppendUint32(b, uint32(r)) },
}
