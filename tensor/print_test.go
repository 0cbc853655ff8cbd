package tensor_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
	"github.com/troupe-go/troupe/tensor/tensortest"
)

func TestPrintsAsNumPy(t *testing.T) {
	var cases []struct {
		tensortest.Golden
		Text string
	}
	tensortest.ReadGolden(t, "print.json.gz", &cases)
	for _, c := range cases {
		if diff := cmp.Diff(c.Text, c.Tensor(t).String()); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", c.Dtype, c.Shape, diff)
		}
	}
}

func TestPrinterOptions(t *testing.T) {
	x, err := literal.Parse("[0 1 2 3 4 5 6 7 8 9]", tensor.Int32)
	if err != nil {
		t.Fatal(err)
	}
	f, err := literal.Parse("[0.123456789 2]", tensor.Double)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    tensor.Printer
		x    *tensor.Tensor
		want string
	}{
		{tensor.Printer{}, x, "[0 1 2 3 4 5 6 7 8 9]"},
		{tensor.Printer{Threshold: 5}, x, "[0 1 2 ... 7 8 9]"},
		{tensor.Printer{Threshold: 5, EdgeItems: 1}, x, "[0 ... 9]"},
		{tensor.Printer{Width: 12}, x, "[0 1 2 3 4\n 5 6 7 8 9]"},
		{tensor.Printer{Precision: 3}, f, "[0.123 2.   ]"},
	} {
		if got := c.p.Sprint(c.x); got != c.want {
			t.Errorf("%+v prints %q, want %q", c.p, got, c.want)
		}
	}
}

func TestPrintsWhatHasNoNumber(t *testing.T) {
	handle, _ := tensor.FromSlice([]*tensor.Handle{{Container: "c", Name: "v", Type: "Var"}, nil}, 2)
	variant, _ := tensor.FromSlice([]*tensor.Object{nil, {Value: &tensor.VariantData{TypeName: "T"}}, {Value: 7}}, 3)
	ref := tensor.RefTo(tensor.Float, nil)
	for _, c := range []struct{ got, want string }{
		{handle.String(), `[<Resource Var "c/v"> <Resource>]`},
		{variant.String(), `[<Variant> <Variant "T"> <Variant int>]`},
		{ref.String(), "<float_ref>"},
		{tensor.Value{}.String(), "<no value>"},
		{tensor.Scalar(int32(-4)).String(), "-4"},
		{tensor.Scalar("a").String(), "b'a'"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// A power of two lies nearer to the number below it than to the one above, so
// its exact digits, cut off, may be those of a neighbour. NumPy 2.4 prints this.
func TestPrintPowerOfTwo(t *testing.T) {
	x, err := tensor.FromSlice([]float32{0x1p-96, 0x1p-95}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := (tensor.Printer{Precision: 8, Threshold: 10}).Sprint(x), "[1.2621775e-29 2.5243549e-29]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
