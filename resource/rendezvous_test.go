package resource

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestRendezvous(t *testing.T) {
	key := RendezvousKey("a", 0x1f, "b", "edge_1_x")
	if got, want := Tagged(key, ""), "a;000000000000001f;b;edge_1_x;0:0"; got != want {
		t.Errorf("key %q, want %q", got, want)
	}
	if got, want := Tagged(key, "L[2]"), "a;000000000000001f;b;edge_1_x;L[2]"; got != want {
		t.Errorf("key %q, want %q", got, want)
	}
	var r LocalRendezvous
	value := func(n int32) Token { return Token{Value: tensor.Scalar(n)} }
	recv := func(ctx context.Context, key string) chan string {
		got := make(chan string, 2)
		r.Recv(ctx, key, func(t Token, err error) {
			switch {
			case err != nil:
				got <- status.CodeOf(err).String()
			case t.Dead:
				got <- "dead"
			default:
				got <- fmt.Sprint(tensor.At0[int32](&t.Value))
			}
		})
		return got
	}
	expect := func(what string, got chan string, want string) {
		t.Helper()
		if g := <-got; g != want {
			t.Errorf("%s: %s, want %s", what, g, want)
		}
	}
	ctx := t.Context()
	if err := r.Send("first", value(1)); err != nil {
		t.Fatal(err)
	}
	if err := r.Send("first", value(1)); status.CodeOf(err) != status.Aborted {
		t.Errorf("sent twice: %v", err)
	}
	expect("sent before", recv(ctx, "first"), "1")
	late := recv(ctx, "second")
	expect("asked twice", recv(ctx, "second"), "ABORTED")
	if err := r.Send("second", Token{Dead: true}); err != nil {
		t.Fatal(err)
	}
	expect("sent after", late, "dead")

	short, cancel := context.WithCancel(ctx)
	gone := recv(short, "third")
	cancel()
	expect("cancelled", gone, "CANCELLED")
	if err := r.Send("third", value(3)); err != nil {
		t.Fatal(err)
	}
	expect("after one that gave up", recv(ctx, "third"), "3")

	waits := recv(ctx, "fourth")
	failed := status.Errorf(status.DataLoss, "a peer is gone")
	r.Abort(failed)
	r.Abort(errors.New("another"))
	expect("aborted while it waits", waits, "DATA_LOSS")
	expect("after the abort", recv(ctx, "fifth"), "DATA_LOSS")
	if err := r.Send("sixth", value(6)); err != error(failed) {
		t.Errorf("sent after the abort: %v", err)
	}
}

// Every token comes once, or the wait ends once, whoever is first.
func TestRendezvousRaces(t *testing.T) {
	const n = 200
	for round := range 20 {
		var r LocalRendezvous
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		var calls [n]chan error
		for i := range n {
			calls[i] = make(chan error, 2)
		}
		wg.Go(func() {
			for i := range n {
				r.Recv(ctx, fmt.Sprint(i), func(_ Token, err error) { calls[i] <- err })
			}
		})
		wg.Go(func() {
			for i := range n {
				if r.Send(fmt.Sprint(i), Token{Dead: true}) != nil {
					return
				}
			}
		})
		wg.Go(func() {
			if round%2 == 0 {
				cancel()
			} else {
				r.Abort(status.Invalid("enough"))
			}
		})
		wg.Wait()
		r.Abort(status.Invalid("enough"))
		cancel()
		for i := range n {
			<-calls[i]
			if len(calls[i]) > 0 {
				t.Fatalf("round %d: %d was told twice", round, i)
			}
		}
	}
}
