package inference

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve/inference/messages"
	"github.com/troupe-go/troupe/serve/internal/mutate"
	"github.com/troupe-go/troupe/status"
)

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
	raw := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1))
	in := func(name, dt string, shape ...int64) *messages.ModelInferRequest_InferInputTensor {
		return &messages.ModelInferRequest_InferInputTensor{Name: name, Datatype: dt, Shape: shape}
	}
	add(0, &messages.ModelInferRequest{ModelName: "m", ModelVersion: "3", Inputs: []*messages.ModelInferRequest_InferInputTensor{in("x", "FP32", 1, 2)}, RawInputContents: [][]byte{append(raw, raw...)}})
	typed := in("x", "INT64", 2)
	typed.Contents = &messages.InferTensorContents{Int64Contents: []int64{1, -2}}
	signature := map[string]*messages.InferParameter{"signature_name": {ParameterChoice: &messages.InferParameter_StringParam{StringParam: "INT64"}}}
	add(0, &messages.ModelInferRequest{ModelName: "m", Parameters: signature, Inputs: []*messages.ModelInferRequest_InferInputTensor{typed}})
	texts := map[string]*messages.InferParameter{"signature_name": {ParameterChoice: &messages.InferParameter_StringParam{StringParam: "STRING"}}}
	add(0, &messages.ModelInferRequest{ModelName: "m", Parameters: texts, Inputs: []*messages.ModelInferRequest_InferInputTensor{in("x", "BYTES", 1)}, RawInputContents: [][]byte{{1, 0, 0, 0, 'a'}}})
	add(1, &messages.ModelMetadataRequest{Name: "m", Version: "3"})
	add(2, &messages.ModelReadyRequest{Name: "m"})
	add(3, &messages.RepositoryIndexRequest{Ready: true})
	add(4, &messages.ModelStatisticsRequest{Name: "m", Version: "3"})
	add(5, &messages.ModelConfigRequest{Name: "m", Version: "3"})
	add(6, &messages.RepositoryModelLoadRequest{ModelName: "m", Parameters: map[string]*messages.ModelRepositoryParameter{"x": {ParameterChoice: &messages.ModelRepositoryParameter_BoolParam{BoolParam: true}}}})
	return all
}

// try calls a method, which must not fail internally.
func try(t testing.TB, s *server, b []byte) {
	if len(b) == 0 {
		return
	}
	var err error
	switch ctx := t.Context(); b[0] % 7 {
	case 0:
		err = call(ctx, s.infer, b[1:])
	case 1:
		err = call(ctx, s.modelMetadata, b[1:])
	case 2:
		err = call(ctx, s.modelReady, b[1:])
	case 3:
		err = call(ctx, s.index, b[1:])
	case 4:
		err = call(ctx, s.statistics, b[1:])
	case 5:
		err = call(ctx, s.config, b[1:])
	case 6:
		err = call(ctx, s.load, b[1:])
	}
	if c := status.CodeOf(err); err != nil && (c == status.Internal || c == status.Unknown) {
		t.Fatalf("%q: %v", b, err)
	}
}

func call[Request, Response any](ctx context.Context, do func(context.Context, *Request) (*Response, error), b []byte) error {
	r := new(Request)
	if err := proto.Unmarshal(b, any(r).(proto.Message)); err != nil {
		return nil // gRPC refuses it
	}
	out, err := do(ctx, r)
	if err != nil {
		return err
	}
	_, err = proto.Marshal(any(out).(proto.Message))
	return err
}

// FuzzService calls the methods of the service.
func FuzzService(f *testing.F) {
	for _, b := range goods(f) {
		f.Add(b)
	}
	s := &server{m: models(f), control: true}
	f.Fuzz(func(t *testing.T, b []byte) { try(t, s, b) })
}

// TestMutated calls the methods with requests that are changed at random.
func TestMutated(t *testing.T) {
	s := &server{m: models(t), control: true}
	mutate.Each(t, func(b []byte) { try(t, s, b) }, goods(t)...)
}
