package prediction

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve/internal/mutate"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
)

// methods call the service with a serialized request.
func methods(s *server) []func(context.Context, []byte) error {
	return []func(context.Context, []byte) error{
		method(s.predict), method(s.classify), method(s.regress), method(s.multiInference), method(s.metadata),
		method(s.status), method(s.reload), method(s.sessionRun),
	}
}

func method[Request, Response any](call func(context.Context, *Request) (*Response, error)) func(context.Context, []byte) error {
	return func(ctx context.Context, b []byte) error {
		r := new(Request)
		if err := proto.Unmarshal(b, any(r).(proto.Message)); err != nil {
			return nil // gRPC refuses it
		}
		out, err := call(ctx, r)
		if err != nil {
			return err
		}
		_, err = proto.Marshal(any(out).(proto.Message))
		return err
	}
}

// goods are requests as they should be, the first byte being the method's number.
func goods(t testing.TB) [][]byte {
	var all [][]byte
	add := func(n byte, m proto.Message) {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, append([]byte{n}, b...))
	}
	input := &messages.Input{Kind: &messages.Input_ExampleList{ExampleList: &messages.ExampleList{Examples: [][]byte{[]byte("a"), {}}}}}
	add(0, &messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": floats(t, 1, 2)}, OutputFilter: []string{"y"}})
	add(1, &messages.ClassificationRequest{ModelSpec: of("class"), Input: input})
	add(2, &messages.RegressionRequest{ModelSpec: of("length"), Input: input})
	add(3, &messages.MultiInferenceRequest{Tasks: []*messages.InferenceTask{{ModelSpec: of("length"), MethodName: "tensorflow/serving/regress"}}, Input: input})
	add(4, &messages.GetModelMetadataRequest{ModelSpec: of(""), MetadataField: []string{"signature_def"}})
	add(5, &messages.GetModelStatusRequest{ModelSpec: of("")})
	add(6, &messages.ReloadConfigRequest{Config: []byte("\x0a\x00")})
	add(7, &messages.SessionRunRequest{ModelSpec: of(""), Feed: []*messages.NamedTensorProto{{Name: "x:0", Tensor: floats(t, 1)}}, Fetch: []string{"y:0"}})
	return all
}

// try calls a method, which must not fail internally.
func try(t testing.TB, all []func(context.Context, []byte) error, b []byte) {
	if len(b) == 0 {
		return
	}
	err := all[int(b[0])%len(all)](t.Context(), b[1:])
	if c := status.CodeOf(err); err != nil && (c == status.Internal || c == status.Unknown) && grpcstatus.Code(err) != codes.InvalidArgument {
		t.Fatalf("%q: %v", b, err)
	}
}

// FuzzService calls the methods of the service.
func FuzzService(f *testing.F) {
	for _, b := range goods(f) {
		f.Add(b)
	}
	_, m := clientOf(f)
	all := methods(&server{m: m, sessions: true})
	f.Fuzz(func(t *testing.T, b []byte) { try(t, all, b) })
}

// TestMutated calls the methods with requests that are changed at random.
func TestMutated(t *testing.T) {
	_, m := clientOf(t)
	all := methods(&server{m: m, sessions: true})
	mutate.Each(t, func(b []byte) { try(t, all, b) }, goods(t)...)
}
