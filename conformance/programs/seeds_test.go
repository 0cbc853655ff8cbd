package programs_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plan/rewrite"
)

var (
	seeds     = flag.Int("seeds", 0, "run `N` random programs; 0: a number that suits a test")
	first     = flag.Int("first", 0, "the `SEED` of the first program")
	shrinking = flag.Bool("shrink", true, "make a program that fails smaller")
	engineSet = flag.String("engines", "actors,actors/3,bands/3,tokens,tokens/2,sequential,seeded:1,seeded:2", "`LIST` of the engines to run them on")
)

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// A script is numbers to be drawn: those that it has, then such from a seed, if
// there is one, else the least. It notes what it gives, as distances from the least.
type script struct {
	given []int
	rng   *rand.Rand
	drawn []int
}

func (s *script) Int(_ string, lo, hi int) int {
	x := 0
	switch i := len(s.drawn); {
	case i < len(s.given):
		x = min(s.given[i], hi-lo)
	case s.rng != nil:
		x = s.rng.IntN(hi - lo + 1)
	}
	s.drawn = append(s.drawn, x)
	return lo + x
}

// try makes the trial of a script and judges it on the engines.
func try(src programs.Source, o programs.Options, all []*engine) (*trial, *engine, error) {
	t, err := newTrial(src, o)
	if err != nil {
		return nil, nil, err
	}
	e, err := t.judgeAll(all)
	return t, e, err
}

// judgeAll judges the trial on engines, and says on which it is wrong.
func (t *trial) judgeAll(all []*engine) (*engine, error) {
	if err := t.lower(); err != nil {
		return nil, err
	}
	if err := t.compile(); err != nil {
		return nil, err
	}
	for _, e := range all {
		if err := t.judge(e); err != nil {
			return e, err
		}
	}
	return nil, nil
}

// bisect reports which of the trial's passes makes it wrong on the engines.
func (t *trial) bisect(all []*engine) string {
	pass, found, err := compile.Bisect(t.passes, t.units, func(on rewrite.Passes, units form.Passes) (bool, error) {
		u := *t
		u.steps = nil
		for _, s := range t.steps {
			step := *s
			u.steps = append(u.steps, &step)
		}
		u.passes, u.units = on, units
		_, err := u.judgeAll(all)
		return err != nil, nil
	})
	switch {
	case err != nil:
		return err.Error()
	case !found:
		return "right when the passes are tried one after another"
	case pass == "":
		return "wrong without optional passes"
	}
	return "made wrong by the pass " + pass
}

// shrink looks for a shorter script of small numbers whose trial is judged wrong
// too, for some seconds.
func shrink(given []int, o programs.Options, all []*engine) []int {
	return shrinkTo(given, func(src *script) bool {
		_, _, err := try(src, o, all)
		return err != nil && !errors.Is(err, errUnclear)
	})
}

// shrinkTo looks for a shorter script of small numbers of which fails says yes, too.
func shrinkTo(given []int, fails func(*script) bool) []int {
	end := time.Now()
	if *shrinking {
		end = end.Add(20 * time.Second)
	}
	wrong := func(s []int) ([]int, bool) {
		src := &script{given: s}
		failed := fails(src)
		return src.drawn, failed
	}
	for shorter := true; shorter; {
		shorter = false
		for n := len(given) / 2; n > 0; n /= 2 {
			for i := 0; i+n <= len(given) && time.Now().Before(end); {
				cut := append(append([]int{}, given[:i]...), given[i+n:]...)
				if drawn, ok := wrong(cut); ok && len(drawn) < len(given) {
					given, shorter = drawn, true
				} else {
					i += n
				}
			}
		}
		for i := 0; i < len(given) && time.Now().Before(end); i++ {
			for _, x := range []int{0, given[i] / 2, given[i] - 1} {
				if x < 0 || x >= given[i] {
					continue
				}
				less := append([]int{}, given...)
				less[i] = x
				if drawn, ok := wrong(less); ok && len(drawn) <= len(given) {
					given, shorter = drawn, true
					break
				}
			}
			if i >= len(given) {
				break
			}
		}
	}
	return given
}

// TestSeeds runs programs from fixed seeds on the engines.
func TestSeeds(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 3000
		if testing.Short() {
			n = 500
		}
	}
	all, end := engines(t, *engineSet, memoryLimit)
	defer end()
	unclear := 0
	for seed := *first; seed < *first+n; seed++ {
		src := &script{rng: rand.New(rand.NewPCG(uint64(seed), 0))}
		o := programs.Options{Depth: 1 + seed%4, Shares: seed%5 == 4}
		_, e, err := try(src, o, all)
		if errors.Is(err, errUnclear) {
			unclear++
			continue
		}
		if err != nil {
			if e != nil {
				all = []*engine{e}
			}
			small := &script{given: shrink(src.drawn, o, all)}
			tr, e, err2 := try(small, o, all)
			if err2 == nil || tr == nil { // does not fail each time
				tr, e, err2 = try(&script{given: src.drawn}, o, all)
			}
			if *shrinking && tr != nil && err2 != nil {
				if smaller, err := tr.smaller(all, time.Now().Add(20*time.Second)); err != nil {
					tr, err2 = smaller, err
				}
			}
			label := "all engines"
			if e != nil {
				label = e.label
			}
			if err2 == nil {
				t.Fatalf("seed %d on %s, not each time: %s\n%v", seed, label, brief(err), tr)
			}
			t.Logf("seed %d: %s", seed, tr.bisect(all))
			t.Fatalf("seed %d on %s: %s\nmade smaller: %s\n%v", seed, label, brief(err), brief(err2), tr)
		}
	}
	if unclear > n/2 {
		t.Errorf("%d of %d programs have no clear answer", unclear, n)
	}
	t.Logf("%d programs, %d of them unclear", n, unclear)
}
