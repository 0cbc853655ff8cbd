package prediction

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// aTensor is how the text of a request or response has one: its type, and its elements as
// literal.Parse reads them.
var aTensor = regexp.MustCompile(`^@(\w+) (.*)$`)

// tensors replaces what the map fields of a message hold, by key.
func tensors(m protoreflect.Message, change func([]byte) []byte) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.IsMap() && f.MapValue().Kind() == protoreflect.BytesKind {
			v.Map().Range(func(k protoreflect.MapKey, x protoreflect.Value) bool {
				v.Map().Set(k, protoreflect.ValueOfBytes(change(x.Bytes())))
				return true
			})
		}
		return true
	})
}

// TestContract sends the requests of testdata: a command is the method, the request
// follows as text; the answer is the response as text, or the error.
func TestContract(t *testing.T) {
	call := client(t)
	type pair struct{ request, response func() proto.Message }
	methods := map[string]pair{
		"PredictionService/Predict":              {func() proto.Message { return &messages.PredictRequest{} }, func() proto.Message { return &messages.PredictResponse{} }},
		"PredictionService/Classify":             {func() proto.Message { return &messages.ClassificationRequest{} }, func() proto.Message { return &messages.ClassificationResponse{} }},
		"PredictionService/Regress":              {func() proto.Message { return &messages.RegressionRequest{} }, func() proto.Message { return &messages.RegressionResponse{} }},
		"PredictionService/MultiInference":       {func() proto.Message { return &messages.MultiInferenceRequest{} }, func() proto.Message { return &messages.MultiInferenceResponse{} }},
		"PredictionService/GetModelMetadata":     {func() proto.Message { return &messages.GetModelMetadataRequest{} }, func() proto.Message { return &messages.GetModelMetadataResponse{} }},
		"ModelService/GetModelStatus":            {func() proto.Message { return &messages.GetModelStatusRequest{} }, func() proto.Message { return &messages.GetModelStatusResponse{} }},
		"ModelService/HandleReloadConfigRequest": {func() proto.Message { return &messages.ReloadConfigRequest{} }, func() proto.Message { return &messages.ReloadConfigResponse{} }},
	}
	datadriven.RunTest(t, "testdata/contract.txt", func(t *testing.T, d *datadriven.TestData) string {
		service := "PredictionService/"
		if d.Cmd == "GetModelStatus" || d.Cmd == "HandleReloadConfigRequest" {
			service = "ModelService/"
		}
		p, ok := methods[service+d.Cmd]
		if !ok {
			t.Fatalf("%s: no method %s", d.Pos, d.Cmd)
		}
		request, response := p.request(), p.response()
		if err := prototext.Unmarshal([]byte(d.Input), request); err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
		tensors(request.ProtoReflect(), func(b []byte) []byte {
			m := aTensor.FindSubmatch(b)
			if m == nil {
				return b
			}
			dt, ok := tensor.ParseDType("DT_" + strings.ToUpper(string(m[1])))
			if !ok {
				t.Fatalf("%s: no type %s", d.Pos, m[1])
			}
			x, err := literal.Parse(string(m[2]), dt)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			b, err = tensorproto.Marshal(x)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			return b
		})
		if err := call(service+d.Cmd, request, response); err != nil {
			s := grpcstatus.Convert(err)
			if s.Code() == codes.Internal {
				t.Errorf("%s: %v", d.Pos, err)
			}
			return s.Code().String() + ": " + s.Message() + "\n"
		}
		if m, ok := response.(*messages.GetModelMetadataResponse); ok {
			all := &messages.SignatureDefMap{}
			if err := proto.Unmarshal(m.GetMetadata()["signature_def"].GetValue(), all); err != nil {
				t.Error(err)
			}
			return m.GetModelSpec().GetName() + " " + strconv.FormatInt(m.GetModelSpec().GetVersion().GetValue(), 10) + ": " + strconv.Itoa(len(all.GetSignatureDef())) + " signatures\n"
		}
		tensors(response.ProtoReflect(), func(b []byte) []byte {
			x, err := tensorproto.Unmarshal(b, 1<<20)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			return []byte("@" + x.DType().String() + " " + x.String())
		})
		text, err := prototext.MarshalOptions{Multiline: true, Indent: " "}.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(text), ":  ", ": ") + "\n" // prototext writes blanks at random
	})
}
