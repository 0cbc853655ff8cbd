package conformance_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// TestRewritten plays recorded cases under each pass alone, all that keep bits, and all
// of these but one, and compares with what they answer as they are, bit by bit.
func TestRewritten(t *testing.T) {
	sets := []string{"default"}
	for _, name := range rewrite.Names() {
		if p, err := rewrite.Parse(name); err != nil || p&^rewrite.Default() != 0 {
			continue
		}
		sets = append(sets, name, "-"+name)
	}
	if testing.Short() {
		sets = sets[:1]
	}
	for _, group := range []string{"control", "models"} {
		cases, err := conformance.Load("testdata/" + group + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if c.Hostile() {
				continue
			}
			t.Run(c.Name, func(t *testing.T) {
				path := "testdata/" + group + ".zip/" + c.Name[len(group)+1:]
				want := answers(t, path, "none")
				for _, set := range sets {
					if got := answers(t, path, set); got != want {
						t.Errorf("rewritten by %s: %.300s\nas it is: %.300s", set, got, want)
					}
				}
			})
		}
	}
}

// answers returns what a case answers, with the bits of numbers.
func answers(t *testing.T, path, passes string) string {
	t.Helper()
	s, err := conformance.LoadScript(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	err = s.Play(t.Context(), conformance.Config{Rewrite: passes}, func(i int, o conformance.Outcome) error {
		fmt.Fprintf(&b, "step %d:", i)
		if o.Err != nil {
			e := status.From(o.Err)
			fmt.Fprintf(&b, " %v at %q (%s) %s", e.Code, e.Node, e.Op, e.Message)
		}
		for _, x := range o.Fetched {
			v := tensor.ValueOf(x)
			fmt.Fprintf(&b, " %v%v", v.DType(), v.Dims())
			if v.DType().HasPointers() {
				fmt.Fprint(&b, x)
			} else {
				fmt.Fprintf(&b, "%x", tensor.Bytes(&v))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
