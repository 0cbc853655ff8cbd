package serve

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/status"
)

// grace is how long what reads files may take to see that its context has ended.
const grace = time.Second

// patiently runs what reads files, and returns when it has; or with the error of ctx soon
// after that has ended, as a disk that neither answers nor fails cannot be interrupted. What
// then comes late is given to drop.
func patiently[T any](ctx context.Context, do func() T, drop func(T)) (out T, err error) {
	if err := ctx.Err(); err != nil {
		return out, status.From(context.Cause(ctx))
	}
	done := make(chan T, 1)
	go func() { done <- do() }()
	select {
	case out = <-done:
		return out, nil
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case out = <-done:
		return out, nil
	case <-late.C:
		go func() { drop(<-done) }()
		return out, status.From(context.Cause(ctx))
	}
}

// A gate lets a number through at a time, or nobody whose context has ended.
type gate chan struct{}

func (g gate) enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	default:
	}
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return status.From(context.Cause(ctx))
	}
}

func (g gate) leave() { <-g }

// A sight is what a model's folder was seen to hold.
type sight struct {
	folders map[int64]string
	stamps  map[int64]stamp // of the versions that were asked for
	err     error
}

// see looks at a model's folder, and closer at those of its versions that are not known.
func see(path string, known func(int64) bool) (s sight) {
	if s.folders, s.err = found(path); s.err != nil {
		return s
	}
	s.stamps = map[int64]stamp{}
	for n, folder := range s.folders {
		if !known(n) {
			s.stamps[n] = stampOf(folder)
		}
	}
	return s
}
