package graph

import (
	"strings"

	"github.com/troupe-go/troupe/status"
)

// checkDevice says whether a device is written as TensorFlow writes devices,
// in full or in part: "/job:worker/replica:0/task:1/device:GPU:0", with '*'
// for any number, or short as in "/gpu:0".
func checkDevice(device string) error {
	rest := device
	for rest != "" && rest != "/" {
		part, ok := strings.CutPrefix(rest, "/")
		if !ok {
			return badDevice(device)
		}
		part, rest = cutSlash(part)
		key, value, _ := strings.Cut(part, ":")
		switch strings.ToLower(key) {
		case "job":
			ok = value == "*" || isWord(value)
		case "replica", "task", "cpu", "gpu":
			ok = value == "*" || isNumber(value)
		case "device":
			kind, number, numbered := strings.Cut(value, ":")
			ok = kind == "*" || isWord(kind)
			ok = ok && (!numbered || number == "*" || isNumber(number))
		default:
			ok = false
		}
		if !ok {
			return badDevice(device)
		}
	}
	return nil
}

func badDevice(device string) error {
	return status.Invalid("Error parsing the device spec '%s': it is not of the form /job:NAME/replica:N/task:N/device:TYPE:N", device)
}

// cutSlash splits before the first slash.
func cutSlash(s string) (part, rest string) {
	if i := strings.IndexByte(s, '/'); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && len(s) < 10
}

// isWord says whether s is a letter followed by letters, digits and '_'.
func isWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '_'):
		default:
			return false
		}
	}
	return s != ""
}
