package cellular_test

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/compile/cellular"
)

// together returns a context in which the first iteration of a batch waits until as many callers
// have entered, so that they share it.
func together(ctx context.Context, callers int) context.Context {
	entered := make(chan struct{}, callers)
	var once sync.Once
	return cellular.Watched(ctx, &cellular.Watch{
		Entered: func() { entered <- struct{}{} },
		Iterating: func() {
			once.Do(func() {
				for range callers {
					<-entered
				}
			})
		},
	})
}
