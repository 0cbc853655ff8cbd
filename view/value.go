package view

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// A value is a constant in numbers.
type value struct {
	Type  string   `json:"type"`
	Shape string   `json:"shape"`
	First []string `json:"first"` // elements
	Count int      `json:"count"` // of all elements
	// The figures are of elements that are finite; all are absent unless these are numbers.
	Min, Max, Mean, Deviation *float64 `json:",omitempty"`
	Zeros, NaNs, Infinities   int
	Bins                      []int `json:",omitempty"` // from Min to Max
}

// values are summaries of tensors, each once, as many constants of a graph are the same.
type values struct {
	Of  []int   `json:"of"` // pairs of a node and its place in All
	All []value `json:"all"`

	places map[string]int // of summaries as JSON
}

// add adds a node's tensor.
func (vs *values) add(node int, t *tensor.Tensor) {
	v, ok := summarize(t)
	if !ok {
		return
	}
	text, err := json.Marshal(v)
	if err != nil {
		return
	}
	at, known := vs.places[string(text)]
	if !known {
		if vs.places == nil {
			vs.places = map[string]int{}
		}
		at = len(vs.All)
		vs.All = append(vs.All, v)
		vs.places[string(text)] = at
	}
	vs.Of = append(vs.Of, node, at)
}

// Bounds of what is said of a value.
const (
	firstElements = 24
	firstText     = 40 // bytes of an element
	bins          = 32
)

// summarize returns a tensor in numbers.
func summarize(t *tensor.Tensor) (value, bool) {
	v := value{Type: t.DType().String(), Shape: dims(t.Shape()), Count: t.NumElements(), First: []string{}}
	for i := range min(v.Count, firstElements) {
		s := t.ElementText(i)
		if len(s) > firstText {
			s = strings.ToValidUTF8(s[:firstText], "") + "…"
		}
		v.First = append(v.First, s)
	}
	at, ok := numbers(t)
	if !ok || v.Count == 0 {
		return v, v.Count > 0
	}
	low, high, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for i := range v.Count {
		switch x := at(i); {
		case math.IsNaN(x):
			v.NaNs++
		case math.IsInf(x, 0):
			v.Infinities++
		default:
			if x == 0 {
				v.Zeros++
			}
			low, high, sum, n = min(low, x), max(high, x), sum+x, n+1
		}
	}
	if n == 0 {
		return v, true
	}
	mean, squares := sum/float64(n), 0.0
	if n > 8 && high > low {
		v.Bins = make([]int, bins)
	}
	for i := range v.Count {
		x := at(i)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		squares += (x - mean) * (x - mean)
		if v.Bins != nil {
			// Halves first: the range of doubles is no double.
			v.Bins[min(bins-1, int(bins*((x/2-low/2)/(high/2-low/2))))]++
		}
	}
	deviation := math.Sqrt(squares / float64(n))
	for _, f := range []struct {
		to **float64
		x  float64
	}{{&v.Min, low}, {&v.Max, high}, {&v.Mean, mean}, {&v.Deviation, deviation}} {
		if x := f.x; !math.IsNaN(x) && !math.IsInf(x, 0) { // which JSON has no numbers for
			*f.to = &x
		}
	}
	return v, true
}

// numbers returns the elements of a tensor as doubles, if they are real numbers.
func numbers(t *tensor.Tensor) (at func(int) float64, ok bool) {
	switch t.DType() {
	case tensor.Float:
		return elements[float32](t)
	case tensor.Double:
		return elements[float64](t)
	case tensor.Int8:
		return elements[int8](t)
	case tensor.Int16:
		return elements[int16](t)
	case tensor.Int32:
		return elements[int32](t)
	case tensor.Int64:
		return elements[int64](t)
	case tensor.Uint8:
		return elements[uint8](t)
	case tensor.Uint16:
		return elements[uint16](t)
	case tensor.Uint32:
		return elements[uint32](t)
	case tensor.Uint64:
		return elements[uint64](t)
	}
	return nil, false
}

func elements[T interface {
	tensor.Element
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}](t *tensor.Tensor) (func(int) float64, bool) {
	data, err := tensor.Data[T](t)
	return func(i int) float64 { return float64(data[i]) }, err == nil
}

// dims returns a shape as text.
func dims(shape []int64) string {
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
}
