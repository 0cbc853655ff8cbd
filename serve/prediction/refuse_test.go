package prediction

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
)

// TestRefuse: calls for a model that takes no more requests are refused, each counted once,
// before they are read where the model is the only one; others are answered.
func TestRefuse(t *testing.T) {
	call, m := clientOf(t)
	u, err := m.Use(serve.Spec{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(u.Folder())
	if err := m.Reconfigure(t.Context(), []serve.Config{{Name: "m", Path: folder, Running: 1, Waiting: 1}}); err != nil {
		t.Fatal(err)
	}
	ends, ended := make(chan struct{}), make(chan error)
	for range 2 {
		go func() {
			ended <- u.Do(t.Context(), func(context.Context) error {
				<-ends
				return nil
			})
		}()
	}
	for m.Activity(2)[0].Waiting < 1 {
		runtime.Gosched()
	}
	request := &messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": floats(t, 1)}}
	predict := func() error {
		return call("PredictionService/Predict", request, &messages.PredictResponse{})
	}
	const text = "model 'm' has 2 requests that run or wait, and takes no more"
	refused := int64(0)
	check := func(when string) {
		t.Helper()
		refused++
		if err := predict(); grpcstatus.Code(err) != codes.ResourceExhausted || grpcstatus.Convert(err).Message() != text {
			t.Errorf("%s: %v", when, err)
		}
		if n := m.Activity(0)[0].Refused; n != refused {
			t.Errorf("%s: %d are counted as refused, not %d", when, n, refused)
		}
	}
	check("one model")
	if err := call("ModelService/GetModelStatus", &messages.GetModelStatusRequest{ModelSpec: of("")}, &messages.GetModelStatusResponse{}); err != nil {
		t.Error(err)
	}
	handle := Refuse(m)
	for _, c := range []struct {
		method string
		left   time.Duration
		want   codes.Code
	}{
		{"/tensorflow.serving.PredictionService/Predict", time.Second, codes.ResourceExhausted},
		{"/tensorflow.serving.PredictionService/Predict", time.Hour, codes.OK}, // is refused when it has been read
		{"/tensorflow.serving.PredictionService/GetModelMetadata", time.Second, codes.OK},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), c.left)
		if _, err := handle(ctx, &tap.Info{FullMethodName: c.method}); grpcstatus.Code(err) != c.want {
			t.Errorf("%s, %v: %v", c.method, c.left, err)
		}
		cancel()
	}
	refused++ // by the first of these
	if err := m.Add(t.Context(), serve.Config{Name: "n", Path: folder}); err != nil {
		t.Fatal(err)
	}
	check("two models")
	other := &messages.PredictRequest{ModelSpec: &messages.ModelSpec{Name: "n"}, Inputs: request.Inputs}
	if err := call("PredictionService/Predict", other, &messages.PredictResponse{}); err != nil {
		t.Error(err)
	}
	close(ends)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	u.Close()
	if err := predict(); err != nil {
		t.Error(err)
	}
}
