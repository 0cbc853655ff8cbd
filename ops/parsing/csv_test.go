package parsing_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Whatever a record is, DecodeCSV answers; what has neither quotes nor line ends is cut
// at the commas.
func FuzzDecodeCSV(f *testing.F) {
	for _, record := range []string{"", ",", "a,b", "1,2,3", `"a,b",c`, `"a""b",c`, "a\r\n,b", `"`, `"a"b`, ",,", "\n", `"",""`} {
		f.Add(record, uint8(2), true)
		f.Add(record, uint8(3), false)
	}
	f.Fuzz(func(t *testing.T, record string, fields uint8, quotes bool) {
		in := []*tensor.Tensor{tensor.FromScalar(record)}
		var types []registry.AttrValue
		for range 1 + fields%6 {
			none, err := tensor.FromSlice([]string{"none"}, 1)
			if err != nil {
				t.Fatal(err)
			}
			in, types = append(in, none), append(types, registry.TypeAttr(tensor.String))
		}
		out, err := kerneltest.Run("DecodeCSV", registry.Attrs{
			{Name: "OUT_TYPE", Value: registry.ListAttr(registry.KindType, types...)}, {Name: "use_quote_delim", Value: registry.BoolAttr(quotes)},
		}, in...)
		plain := record != "" && !strings.ContainsAny(record, "\r\n") && !(quotes && strings.Contains(record, `"`))
		if !plain {
			return
		}
		want := strings.Split(record, ",")
		if (err == nil) != (len(want) == len(in)-1) {
			t.Fatalf("%q into %d fields: %v", record, len(in)-1, err)
		}
		for i := range out {
			v := tensor.ValueOf(out[i])
			if got := tensor.At0[string](&v); got != want[i] && (want[i] != "" || got != "none") {
				t.Errorf("field %d of %q is %q", i, record, got)
			}
		}
	})
}
