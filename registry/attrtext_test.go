package registry

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ParseAttr reads what TensorFlow's ParseAttrValue reads, as the same value,
// and refuses what that refuses, but for what is listed here.
func TestParseAttrAsTensorFlow(t *testing.T) {
	recorded, err := os.ReadFile("testdata/attrtext.txt")
	if err != nil {
		t.Fatal(err)
	}
	stricter, laxer := []string{}, []string{}
	for line := range strings.Lines(string(recorded)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			t.Fatalf("%q", line)
		}
		kind, ok := ParseKind(f[0])
		if !ok {
			t.Fatal(f[0])
		}
		got, want := "-", f[2]
		if want != "-" {
			want = canonical(t, want)
		}
		v, err := ParseAttr(kind, f[1])
		if err == nil {
			got = hex.EncodeToString([]byte(message(t, v)))
		}
		switch {
		case got == want:
		case got == "-":
			stricter = append(stricter, f[0]+" "+f[1])
		case want == "-":
			laxer = append(laxer, f[0]+" "+f[1])
		default:
			t.Errorf("%s %s: %s, want %s", f[0], f[1], got, want)
		}
	}
	if diff := cmp.Diff([]string{
		"int 35 # a comment",
		"float 1e40", // infinity
		"type 1", "type 19",
		"shape < dim { size: 3 } >",
		"shape { dim { size: -2 } }", // refused when it is used
	}, stricter); diff != "" {
		t.Errorf("only TensorFlow reads these: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"type float",
		"list(string) ['foo', 'bar',]", "list(int) [1 2]", "list(type) [DT_BOOL DT_BOOL]",
	}, laxer); diff != "" {
		t.Errorf("only Troupe reads these: -want +got\n%s", diff)
	}
}

// canonical returns a serialized value as Troupe writes it: a tensor's numbers as
// its bytes, dimensions without names.
func canonical(t *testing.T, digits string) string {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	v, err := UnmarshalAttr(b)
	if err != nil {
		return digits
	}
	return hex.EncodeToString([]byte(message(t, v)))
}
