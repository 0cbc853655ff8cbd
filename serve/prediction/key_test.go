package prediction

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc/metadata"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
)

// TestKey: calls with equal keys get equal versions, those that REST's requests with the
// key get, and calls of many keys both.
func TestKey(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"1", "2"} {
		if err := os.CopyFS(filepath.Join(dir, n), os.DirFS("../../examples/serve/digits")); err != nil {
			t.Fatal(err)
		}
	}
	m := serve.New(serve.Options{})
	defer m.Close(context.Background())
	if err := m.Add(t.Context(), serve.Config{Name: "m", Path: dir, Policy: serve.Policy{Latest: 2}, Canary: serve.Canary{Share: .5}}); err != nil {
		t.Fatal(err)
	}
	s := &server{m: m}
	seen := map[int64]int{}
	for i := range 50 {
		key := fmt.Sprint("user ", i)
		want, err := m.Use(serve.Spec{Model: "m", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		want.Close()
		ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs("X-Request-Key", key))
		for range 3 {
			r, err := s.metadata(ctx, &messages.GetModelMetadataRequest{ModelSpec: &messages.ModelSpec{Name: "m"}, MetadataField: []string{"signature_def"}})
			if err != nil {
				t.Fatal(err)
			}
			if n := r.GetModelSpec().GetVersion().GetValue(); n != want.Version() {
				t.Fatalf("%s: version %d, want %d", key, n, want.Version())
			}
		}
		seen[want.Version()]++
	}
	if len(seen) != 2 {
		t.Errorf("%v", seen)
	}
}
