package reflection_test

import (
	"context"
	"net"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/inference"
	"github.com/troupe-go/troupe/serve/prediction"
	"github.com/troupe-go/troupe/serve/reflection"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect serves digits, and returns a client that knows nothing of its messages.
func connect(t *testing.T) *grpc.ClientConn {
	t.Helper()
	m := serve.New(serve.Options{})
	t.Cleanup(func() { m.Close(context.Background()) })
	if err := m.Add(t.Context(), serve.Config{Name: "digits", Path: "../../examples/serve/digits"}); err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	prediction.Register(s, m, prediction.AllowSessionRun())
	inference.Register(s, m)
	healthpb.RegisterHealthServer(s, health.NewServer())
	if err := reflection.Register(s); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(s.Stop)
	c, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestReflected: a client that asks for everything learns each method of each service, and
// can call one.
func TestReflected(t *testing.T) {
	c := connect(t)
	stream, err := reflectionv1.NewServerReflectionClient(c).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(r *reflectionv1.ServerReflectionRequest) *reflectionv1.ServerReflectionResponse {
		t.Helper()
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
		reply, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if e := reply.GetErrorResponse(); e != nil {
			t.Fatal(r, e)
		}
		return reply
	}
	set, seen := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	var take func(reply *reflectionv1.ServerReflectionResponse)
	take = func(reply *reflectionv1.ServerReflectionResponse) {
		for _, b := range reply.GetFileDescriptorResponse().GetFileDescriptorProto() {
			f := &descriptorpb.FileDescriptorProto{}
			if err := proto.Unmarshal(b, f); err != nil {
				t.Fatal(err)
			}
			if seen[f.GetName()] {
				continue
			}
			seen[f.GetName()] = true
			set.File = append(set.File, f)
			for _, d := range f.Dependency {
				if !seen[d] {
					take(ask(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_FileByFilename{FileByFilename: d}}))
				}
			}
		}
	}
	methods := 0
	list := ask(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}})
	for _, s := range list.GetListServicesResponse().GetService() {
		take(ask(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: s.GetName()}}))
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list.GetListServicesResponse().GetService() {
		d, err := files.FindDescriptorByName(protoreflect.FullName(s.GetName()))
		if err != nil {
			t.Fatal(err)
		}
		methods += d.(protoreflect.ServiceDescriptor).Methods().Len()
	}
	if methods < 8+8+2+2 {
		t.Errorf("%d methods", methods)
	}

	// As grpcurl does: JSON in, JSON out.
	call := func(service, method, text string) string {
		t.Helper()
		d, err := files.FindDescriptorByName(protoreflect.FullName(service))
		if err != nil {
			t.Fatal(err)
		}
		m := d.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(method))
		in, out := dynamicpb.NewMessage(m.Input()), dynamicpb.NewMessage(m.Output())
		if err := (protojson.UnmarshalOptions{Resolver: dynamicpb.NewTypes(files)}).Unmarshal([]byte(text), in); err != nil {
			t.Fatal(err)
		}
		if err := c.Invoke(t.Context(), "/"+service+"/"+method, in, out); err != nil {
			t.Fatal(err)
		}
		b, err := protojson.MarshalOptions{Resolver: dynamicpb.NewTypes(files)}.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	got := call("tensorflow.serving.PredictionService", "Predict", `{"modelSpec": {"name": "digits"}, "inputs": {"image":
		{"dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": 1}, {"size": 8}, {"size": 8}, {"size": 1}]}, "floatVal": [0]}}}`)
	reply := dynamicpb.NewMessage(message(t, files, "tensorflow.serving.PredictResponse"))
	if err := (protojson.UnmarshalOptions{Resolver: dynamicpb.NewTypes(files)}).Unmarshal([]byte(got), reply); err != nil {
		t.Fatal(err)
	}
	outputs := reply.Get(reply.Descriptor().Fields().ByName("outputs")).Map()
	if outputs.Len() != 1 {
		t.Error(got)
	}
	for _, text := range []string{
		call("tensorflow.serving.PredictionService", "GetModelMetadata", `{"modelSpec": {"name": "digits"}, "metadataField": ["signature_def"]}`),
		call("inference.GRPCInferenceService", "ModelMetadata", `{"name": "digits"}`),
	} {
		if len(text) < 100 {
			t.Error(text)
		}
	}
}

func message(t *testing.T, files *protoregistry.Files, name protoreflect.FullName) protoreflect.MessageDescriptor {
	d, err := files.FindDescriptorByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return d.(protoreflect.MessageDescriptor)
}
