package tensor

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// What JSON has a form for comes back as it was; the rest is written as documented.
func TestMarshalJSON(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{float32(0.1), "0.1"},
		{[]float64{0.1, 1e300, -1e-7, 0}, "[0.1,1e+300,-1e-07,0]"},
		{[][]int32{{1, -2}, {3, 4}}, "[[1,-2],[3,4]]"},
		{[][]int64{}, "[]"},
		{[]bool{true, false}, "[true,false]"},
		{[]uint64{math.MaxUint64}, "[18446744073709551615]"},
		{[]string{"a\"b\n", "é", "\xff\x00"}, `["a\"b\n","é",{"b64":"/wA="}]`},
		{[]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}, `["NaN","Infinity","-Infinity"]`},
		{[]complex64{1 + 2i}, "[[1,2]]"},
	} {
		x, err := NewTensor(c.value)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(x)
		if err != nil || string(got) != c.want {
			t.Errorf("%v: %s, %v, want %s", c.value, got, err, c.want)
		}
	}
	values := [][]float32{{math.SmallestNonzeroFloat32, math.MaxFloat32, math.Pi}, {1e-6, 1e21, 16777217}}
	x, err := NewTensor(values)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(x)
	var back [][]float32
	if err == nil {
		err = json.Unmarshal(b, &back)
	}
	if err != nil || !reflect.DeepEqual(back, values) {
		t.Errorf("%s: %v, %v", b, back, err)
	}
}
