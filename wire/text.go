package wire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// MaxTextNesting is how deep messages may be nested in text: as deep as package proto
// lets serialized ones be.
const MaxTextNesting = 10_000

// UnmarshalText is prototext's Unmarshal for text that others wrote. The package calls
// itself for each message within a message, unknown ones included, so a file of a few
// megabytes could end the process.
func UnmarshalText(o prototext.UnmarshalOptions, text []byte, m proto.Message) error {
	if at, ok := shallow(text); !ok {
		return fmt.Errorf("byte %d: messages nested more than %d deep", at, MaxTextNesting)
	}
	return o.Unmarshal(text, m)
}

// shallow reports whether no bracket of a text is nested too deep, or else which is the
// first.
func shallow(text []byte) (at int, ok bool) {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch c := text[at]; c {
		case '{', '<', '[':
			if depth++; depth > MaxTextNesting {
				return at, false
			}
		case '}', '>', ']':
			depth--
		case '#': // a comment
			for at < len(text) && text[at] != '\n' {
				at++
			}
		case '"', '\'': // a string, which ends in its line
			for at++; at < len(text) && text[at] != c && text[at] != '\n'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		}
	}
	return 0, true
}
