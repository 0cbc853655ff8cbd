package parsing

import "testing"

func FuzzParseExample(f *testing.F) {
	f.Add("\n\x0e\n\x0c\n\x01a\x12\x07\x12\x05\n\x03abc")
	f.Add("\n\x0b\n\t\n\x01i\x12\x04\x1a\x02\x08\x07")
	f.Add("junk")
	f.Fuzz(func(t *testing.T, s string) {
		all, err := parseExample(s)
		if err != nil {
			return
		}
		for key, x := range all {
			if x == nil || x.len() > len(s) {
				t.Errorf("feature %q: %+v", key, x)
			}
		}
	})
}
