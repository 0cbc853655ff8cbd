package programs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// TestNetworksOfCallers has several callers run a network at once, with images of several sizes,
// in two sessions that share its variables, some recorded, while another one sets the variables to
// what they hold: each run has the bits of one alone, without rewriting.
func TestNetworksOfCallers(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 60
		if testing.Short() {
			n = 20
		}
	}
	plain, stop := engines(t, "sequential", memoryLimit)
	defer stop()
	for seed := *first; seed < *first+n; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 37))
		o := newNetwork(rng, seed%2 > 0)
		if len(o.targets) > 0 || slices.Contains(o.fetches, o.image) { // a run changes variables, or what it fetches is fed
			continue
		}
		type answer struct {
			values []float32
			failed bool
		}
		images, want := []*tensor.Tensor{o.fed}, []answer{}
		for range 2 {
			images = append(images, o.numbers([]int64{1 + rng.Int64N(2), 1 + rng.Int64N(30), 1 + rng.Int64N(30), o.fed.Dims()[3]}, 8))
		}
		for _, image := range images {
			o.fed = image
			values, err := o.run(plain[0], rewrite.Options{}, nil)
			if errors.Is(err, errUnclear) {
				t.Fatal(err)
			}
			want = append(want, answer{values, err != nil})
		}
		options := session.SessionOptions{Engine: []string{"actors", "actors", "actors", "tokens", "messages"}[rng.IntN(5)],
			Threads: 1 + rng.IntN(4), BatchLoops: rng.IntN(3) == 0, Resources: session.NewResources(0)}
		var sessions []*session.Session
		for range 2 {
			s, err := session.NewSession(o.g, &options)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			sessions = append(sessions, s)
		}
		set := func() error {
			if len(o.init) == 0 {
				return nil
			}
			_, err := sessions[0].Run(nil, nil, o.init)
			return err
		}
		if err := set(); err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		for caller := range 4 {
			rng := rand.New(rand.NewPCG(uint64(seed), uint64(caller)))
			callers.Go(func() {
				for range 4 {
					s, ctx := sessions[rng.IntN(2)], context.Background()
					if caller == 0 {
						if err := set(); err != nil {
							t.Error(err)
						}
						continue
					}
					if rng.IntN(6) == 0 {
						ctx = recording.With(ctx, recording.New())
					}
					i := rng.IntN(len(images))
					out, err := s.RunContext(ctx, map[graph.Output]*tensor.Tensor{o.image: images[i]}, o.fetches, nil)
					var got []float32
					for _, y := range out {
						v := tensor.ValueOf(y)
						got = append(got, tensor.Of[float32](&v)...)
					}
					if (err != nil) != want[i].failed || err == nil && !slices.EqualFunc(got, want[i].values, sameFloatBits) {
						t.Errorf("seed %d, image %d, %d threads of %s, batched: %t: %v, %.1000s, want %.1000s\n%s", seed, i, options.Threads, options.Engine, options.BatchLoops, err, fmt.Sprint(got), fmt.Sprint(want[i].values), notation.Format(o.g, notation.Options{}))
						return
					}
				}
			})
		}
		callers.Wait()
		if t.Failed() {
			return
		}
	}
}
