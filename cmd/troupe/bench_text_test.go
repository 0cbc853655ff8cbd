package main

import "testing"

func TestTimeText(t *testing.T) {
	for ns, want := range map[float64]string{0: "0.000 ns", 145.23: "145.2 ns", 999.6: "1.000 µs", 2_345_678: "2.346 ms", 12_345: "12.35 µs", 3.2e9: "3.200 s", 4e12: "4000 s"} {
		if got := timeText(ns); got != want {
			t.Errorf("%v is %q, not %q", ns, got, want)
		}
	}
}

// A model is called as its user calls it, not as its version.
func TestModelName(t *testing.T) {
	for path, want := range map[string]string{"/m/img/1": "img/1", "/m/img": "img", "/m/img/": "img", "/m/a.pb": "a.pb", "/1": "1", "-": "-"} {
		if got := modelName(path); got != want {
			t.Errorf("%s is %q, not %q", path, got, want)
		}
	}
}
