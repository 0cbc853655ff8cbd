package serve

import (
	"flag"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

var everyFloat = flag.Bool("everyfloat", false, "TestFloats compares all float32, which takes some minutes")

// TestFloats compares the fast way to write a float32 with strconv's.
func TestFloats(t *testing.T) {
	slow := func(f float32) string {
		x := float64(f)
		text := strconv.FormatFloat(x, 'g', 6, 32)
		if y, err := strconv.ParseFloat(text, 32); err != nil || float32(y) != f {
			text = strconv.FormatFloat(x, 'g', 9, 32)
		}
		return text
	}
	n := 0
	check := func(bits uint32) {
		f := math.Float32frombits(bits)
		if float64(f) == math.Trunc(float64(f)) || f != f {
			return // which appendShort is not asked for
		}
		if got, ok := appendShort(nil, f); ok {
			n++
			if want := slow(f); string(got) != want {
				t.Fatalf("%x: %s, want %s", bits, got, want)
			}
		}
	}
	if *everyFloat {
		for bits := math.Float32bits(1e-20); bits <= math.Float32bits(1e6); bits++ {
			check(bits)
		}
		return
	}
	rng := rand.New(rand.NewPCG(1, 2))
	from, to := math.Float32bits(1e-20), math.Float32bits(1.1e6)
	for range 200_000 {
		bits := from + rng.Uint32N(to-from)
		check(bits)
		check(bits | 1<<31)
		check(math.Float32bits(float32(rng.IntN(1_000_000)) / float32(powers[rng.IntN(10)]))) // few digits
	}
	for _, p := range powers {
		for _, x := range []float32{float32(p), float32(1 / p)} {
			for d := range uint32(200) {
				check(math.Float32bits(x) + d)
				check(math.Float32bits(x) - d)
			}
		}
	}
	if n < 400_000 {
		t.Errorf("only %d numbers were written the fast way", n)
	}
}

// TestDecimals compares the fast way to read numbers with strconv's.
func TestDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fast := 0
	check := func(text string) {
		t.Helper()
		c := cursor{b: []byte(text + ",")}
		if _, ok := c.decimal(); ok {
			fast++
			if c.i != len(text) {
				t.Fatalf("%s is read up to %d", text, c.i)
			}
		}
		if valid := isNumber([]byte(text)); valid {
			w32, _ := strconv.ParseFloat(text, 32)
			w64, _ := strconv.ParseFloat(text, 64)
			g32, ok32 := float32Of(&cursor{b: []byte(text + ",")})
			g64, ok64 := float64Of(&cursor{b: []byte(text + ",")})
			if !ok32 || !ok64 || math.Float32bits(g32) != math.Float32bits(float32(w32)) || math.Float64bits(g64) != math.Float64bits(w64) {
				t.Fatalf("%s: %v %v, want %v %v", text, g32, g64, float32(w32), w64)
			}
		} else if _, ok := float32Of(&cursor{b: []byte(text + ",")}); ok {
			t.Fatalf("%s is read, but is not a number", text)
		}
	}
	for _, text := range []string{"", "-", "0", "-0", "-0.0", "00", "01", "0.", ".5", "1.", "1e", "1e+", "1e5", "1E-5", "1e-22", "1e22", "1e23", "1e-23", "1e999", "1e-999", "9007199254740993", "0.9007199254740993", "16777217", "16777217.0", "33554433.5", "1.00000017881393432617187500", "--1", "1-", "1.5.5", "1e5e5", "0e0", "0.1e1"} {
		check(text)
	}
	for range 300_000 {
		f := math.Float32frombits(rng.Uint32())
		check(strconv.FormatFloat(float64(f), 'g', 1+rng.IntN(17), 64))
		check(strconv.FormatFloat(rng.NormFloat64(), 'f', rng.IntN(17), 64))
		// The middle of two float32, and next to it.
		m := (float64(f) + float64(math.Nextafter32(f, 4))) / 2
		check(strconv.FormatFloat(m, 'g', 8+rng.IntN(12), 64))
	}
	if fast < 300_000 {
		t.Errorf("only %d numbers were read the fast way", fast)
	}
}
