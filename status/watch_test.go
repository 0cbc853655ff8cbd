package status_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/status"
)

func TestWatch(t *testing.T) {
	var none *status.Watch
	if none.Step() != nil || none.Steps(1<<30) != nil || none.Ask() != nil {
		t.Error("a watch without a context ends")
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := status.NewWatch(ctx)
	if err := w.Step(); err != nil {
		t.Fatal(err)
	}
	cancel()
	steps := 0
	for w.Step() == nil {
		steps++
	}
	if steps > 1000 {
		t.Errorf("%d steps until the watch looked", steps)
	}
	if err := w.Ask(); status.CodeOf(err) != status.Canceled {
		t.Error(err)
	}
	if err := status.NewWatch(ctx).Step(); status.CodeOf(err) != status.Canceled {
		t.Errorf("the first step: %v", err)
	}
}
