package conformance_test

import (
	"testing"

	"github.com/troupe-go/troupe/conformance"

	_ "github.com/troupe-go/troupe"
)

// What conditionals, loops and calls change of which only some outputs are asked for; see
// tensorflow/effects.py.
func TestEffects(t *testing.T) { runAll(t, "testdata/effects.zip.gz", 166) }

// Lists, barriers and stacks; see tensorflow/holders.py.
func TestHolders(t *testing.T) { runAll(t, "testdata/holders.zip.gz", 15) }

// runAll runs the cases of an archive on every engine, and strewn over two devices; with
// -short each case on one of them.
func runAll(t *testing.T, archive string, want int) {
	cases, err := conformance.Load(archive)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != want {
		t.Errorf("%d cases, want %d", len(cases), want)
	}
	begun := 0
	run := func(name string, c conformance.Config) {
		begun++
		t.Run(name, func(t *testing.T) {
			for i, k := range cases {
				if testing.Short() && (i+begun)%(len(engines)+1) > 0 {
					continue
				}
				t.Run(k.Name, func(t *testing.T) {
					if r := k.Run(t.Context(), c); r.Verdict != conformance.Passed {
						t.Errorf("%s: %s", r.Verdict, r.Detail)
					}
				})
			}
		})
	}
	for _, engine := range engines {
		run(engine, conformance.Config{Engine: engine})
	}
	run("strewn", conformance.Config{Engine: "actors", Strewing: conformance.Strewing{Devices: 2, Seed: 1}})
}
