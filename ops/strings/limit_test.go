package strings_test

import (
	"math"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Text that no memory holds, or that passes the session's limit, is refused
// before it is made.
func TestLimits(t *testing.T) {
	long, _ := tensor.FromSlice(make([]string, 1<<16), 1<<16)
	scalar := func(s string) *tensor.Tensor { return tensor.Scalar(s).Tensor() }
	number := func(name string, n int64) registry.NamedAttr {
		return registry.NamedAttr{Name: name, Value: registry.IntAttr(n)}
	}
	text := func(name, s string) registry.NamedAttr {
		return registry.NamedAttr{Name: name, Value: registry.StringAttr(s)}
	}
	kilo := strings.Repeat("x", 1<<10)
	splits, _ := tensor.FromSlice([]int64{0, 1 << 16}, 2)
	ones, _ := tensor.FromSlice(make([]int32, 1<<16), 1<<16)
	for _, c := range []struct {
		op    string
		limit int64
		attrs registry.Attrs
		in    []*tensor.Tensor
	}{
		{"StringJoin", 0, nil, []*tensor.Tensor{long, scalar(strings.Repeat(kilo, 1<<6))}},
		{"StringJoin", 1 << 21, nil, []*tensor.Tensor{long, scalar(kilo)}},
		{"AsString", 0, registry.Attrs{number("width", 1<<31-1)}, []*tensor.Tensor{ones}},
		{"AsString", 0, registry.Attrs{number("precision", 1<<31-1), number("width", -1)}, []*tensor.Tensor{tensor.Scalar(1.5).Tensor()}},
		{"ReduceJoin", 0, registry.Attrs{text("separator", strings.Repeat(kilo, 1<<6))}, []*tensor.Tensor{long, tensor.Scalar(int32(0)).Tensor()}},
		{"RegexReplace", 0, nil, []*tensor.Tensor{scalar(strings.Repeat(kilo, 1<<6)), scalar("x"), scalar(strings.Repeat(kilo, 1<<6))}},
		{"StringNGrams", 0, registry.Attrs{
			text("separator", ""), text("left_pad", ""), text("right_pad", ""), number("pad_width", -1),
			{Name: "ngram_widths", Value: registry.ListAttr(registry.KindInt, registry.IntAttr(1<<29))},
			{Name: "preserve_short_sequences", Value: registry.BoolAttr(false)},
		}, []*tensor.Tensor{long, splits}},
	} {
		r := kerneltest.Runner{Limit: c.limit}
		if _, err := r.Run("node", c.op, c.attrs, c.in...); status.CodeOf(err) != status.ResourceExhausted {
			t.Errorf("%s with a limit of %d: %v", c.op, c.limit, err)
		}
	}
}

// The least width and precision are as good as none.
func TestAsStringLeast(t *testing.T) {
	attr := func(name string, n int64) registry.NamedAttr {
		return registry.NamedAttr{Name: name, Value: registry.IntAttr(n)}
	}
	for _, c := range []struct {
		attrs registry.Attrs
		x     *tensor.Tensor
		want  string
	}{
		{registry.Attrs{attr("width", math.MinInt64)}, tensor.Scalar(int32(-7)).Tensor(), "-7"},
		{registry.Attrs{attr("width", math.MinInt32)}, tensor.Scalar(true).Tensor(), "true"},
		{registry.Attrs{attr("precision", math.MinInt64), attr("width", math.MinInt64)}, tensor.Scalar(1.5).Tensor(), "1.500000"},
		{registry.Attrs{attr("precision", math.MinInt64)}, tensor.Scalar("text").Tensor(), "text"},
	} {
		out, err := kerneltest.Run("AsString", c.attrs, c.x)
		if err != nil {
			t.Errorf("%v: %v", c.attrs, err)
			continue
		}
		if v := tensor.ValueOf(out[0]); tensor.At0[string](&v) != c.want {
			t.Errorf("%v of %v: %v, want %s", c.attrs, c.x, out[0], c.want)
		}
	}
}
