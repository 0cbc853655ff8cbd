package math_test

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/troupe-go/troupe/tensor"
)

// Special functions agree with SciPy's values: testdata/special.py.
func TestSpecialFunctions(t *testing.T) {
	f, err := os.Open("testdata/special.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// The relative error allowed.
	tolerance := map[string]float64{"Igamma": 1e-12, "Igammac": 1e-12, "IgammaGradA": 1e-11, "Betainc": 1e-12, "Digamma": 2e-14}
	worst := map[string]float64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		var numbers []float64
		var args []*tensor.Tensor
		for _, w := range words[1:] {
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, x)
			args = append(args, of(t, []float64{x}))
		}
		op, n := words[0], len(args)-1
		want := numbers[n]
		got := data[float64](t, run(t, op, nil, args[:n]...))[0]
		limit := max(tolerance[op], 2e-15)
		e := math.Abs(got-want) / max(math.Abs(want), 1e-290)
		if got != want {
			worst[op] = max(worst[op], e)
		}
		if got != want && !(e <= limit) {
			t.Errorf("%v = %v, want %v, off by %.2g", words[:n+1], got, want, e)
		}
	}
	t.Logf("relative errors: %v", worst)
}

// What TensorFlow 2.21 answers outside of the functions' domains and at their edges.
func TestSpecialFunctionsAtEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		op   string
		args [][]float64
		want []float64
	}{
		{"Igamma", [][]float64{{0, -1, 1, inf, 1, nan, inf, 1, 0, 2}, {1, 1, -1, 1, inf, 1, inf, 0, 0, 0}}, []float64{nan, nan, nan, 0, 1, nan, 0, 0, 0, 0}},
		{"Igammac", [][]float64{{0, -1, 1, inf, 1, nan, 1, 0, 2}, {1, 1, -1, 1, inf, 1, 0, 0, 0}}, []float64{nan, nan, nan, 1, 0, nan, 1, nan, 1}},
		{"IgammaGradA", [][]float64{{0, -1, 1, inf, 1, nan, 1, 0}, {1, 1, -1, 1, inf, 1, 0, 0}}, []float64{nan, nan, nan, 0, 0, nan, 0, 0}},
		{"Betainc", [][]float64{{0, 1, -1, inf, 1, 1, 1, 1, 0}, {1, 0, 1, 1, inf, 1, 1, 1, 1}, {.5, .5, .5, .5, .5, -.1, 1.1, 1, 0}}, []float64{nan, nan, nan, nan, nan, nan, nan, 1, nan}},
		{"Zeta", [][]float64{{1, .5, 2, 2, 2, 3, 3, 2.5, inf, 2, inf, nan, 2, 3, 2, 2}, {1, 1, 0, -1, -.5, -1, -.5, -.5, 2, inf, .5, 1, -1e9 - .5, -100.25, -inf, nan}},
			[]float64{inf, nan, inf, inf, 8.934802200544679, nan, 0.41439832211716, nan, 0, 0, inf, nan, 9.869604400089358, -62.01250410345885, inf, nan}},
		{"Polygamma", [][]float64{{0, 1, .5, -1, 1, 1, 2, 0, 3, 1, nan, inf, 200}, {1, 1, 1, 1, 0, -1, -1, 0, -.5, inf, 1, 1, 3}},
			[]float64{-0.5772156649015323, 1.6449340668482266, nan, nan, inf, inf, nan, nan, 193.40909103400242, 0, nan, inf, -inf}},
		{"BesselI0e", [][]float64{{inf, -inf, nan, 1e-300, 1e300}}, []float64{0, 0, nan, 1, 3.989422804014327e-151}},
		{"BesselI1e", [][]float64{{inf, -inf, nan, 1e-300, 1e300}}, []float64{0, 0, nan, 5e-301, 3.989422804014327e-151}},
	} {
		var args []*tensor.Tensor
		for _, a := range c.args {
			args = append(args, of(t, a, int64(len(a))))
		}
		got := data[float64](t, run(t, c.op, nil, args...))
		if diff := cmp.Diff(c.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-7, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.op, diff)
		}
	}
}
