package prediction

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve/internal/cost"
	"github.com/troupe-go/troupe/serve/prediction/messages"
)

// BenchmarkGRPC is the cost of a Predict of 1 KB over a connection on this machine: of
// client and server, of a call that does nothing but fail, and of the server's part alone.
func BenchmarkGRPC(b *testing.B) {
	call, m := clientOf(b)
	request := &messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": floats(b, make([]float32, 250)...)}}
	b.Run("predict", func(b *testing.B) {
		b.ReportAllocs()
		cost.Loop(b, func() {
			if err := call("PredictionService/Predict", request, &messages.PredictResponse{}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("nothing", func(b *testing.B) {
		none := &messages.PredictRequest{}
		b.ReportAllocs()
		cost.Loop(b, func() {
			if err := call("PredictionService/Predict", none, &messages.PredictResponse{}); err == nil {
				b.Fatal("no model, and no error")
			}
		})
	})
	b.Run("server", func(b *testing.B) {
		s := &server{m: m}
		text, err := proto.Marshal(request)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		cost.Loop(b, func() {
			in := &messages.PredictRequest{}
			if err := proto.Unmarshal(text, in); err != nil {
				b.Fatal(err)
			}
			out, err := s.predict(b.Context(), in)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := proto.Marshal(out); err != nil {
				b.Fatal(err)
			}
		})
	})
}
