package serve

import (
	"context"
	"os"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// warm runs the requests in files.
func (u Use) warm(ctx context.Context, files []string) error {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = u.try(ctx, text)
		}
		if err != nil {
			e := *status.From(err)
			e.Message = "warming up with " + plain.Line(file) + ": " + e.Message
			return &e
		}
	}
	return nil
}

// try runs the body of a predict request.
func (u Use) try(ctx context.Context, text []byte) error {
	_, err := runBody(ctx, u, target{spec: Spec{Model: u.v.name}, verb: "predict"}, text, nil)
	return err
}
