package inference

import (
	"context"
	"encoding/binary"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/inference/messages"
	"github.com/troupe-go/troupe/serve/internal/unary"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// models has a model m whose signatures return their inputs.
func models(t testing.TB) *serve.Manager {
	t.Helper()
	types := []string{"FLOAT", "DOUBLE", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "BOOL", "STRING", "HALF", "BFLOAT16", "COMPLEX64"}
	text := ""
	for _, dt := range types {
		text += dt + " = Placeholder() {dtype=DT_" + dt + "}\nout_" + dt + " = Identity(" + dt + ")\n"
	}
	text += "x = Placeholder() {dtype=DT_FLOAT, shape=shape [?,2]}\ny = Neg(x)\n"
	g := graph.New()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	sigs := map[string]model.ExportSignature{"serving_default": {
		Inputs: map[string]graph.Output{"x": g.Operation("x").Output(0)}, Outputs: map[string]graph.Output{"y": g.Operation("y").Output(0)},
	}}
	for _, dt := range types {
		sigs[dt] = model.ExportSignature{
			Inputs: map[string]graph.Output{"x": g.Operation(dt).Output(0)}, Outputs: map[string]graph.Output{"y": g.Operation("out_" + dt).Output(0)},
		}
	}
	dir := filepath.Join(t.TempDir(), "m")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := model.Write(filepath.Join(dir, "3"), model.Export{Graph: g, Signatures: sigs}); err != nil {
		t.Fatal(err)
	}
	m := serve.New(serve.Options{})
	t.Cleanup(func() { m.Close(context.Background()) })
	if err := m.Add(t.Context(), serve.Config{Name: "m", Path: dir}); err != nil {
		t.Fatal(err)
	}
	return m
}

func dial(t testing.TB, m *serve.Manager) *grpc.ClientConn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(64 << 20))
	Register(server, m)
	done := make(chan struct{})
	go func() { defer close(done); server.Serve(l) }()
	t.Cleanup(func() { server.Stop(); <-done })
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestContract sends the requests of testdata: a command is the method, the request
// follows as text; the answer is the response as text, or the error.
func TestContract(t *testing.T) {
	conn := dial(t, models(t))
	type pair struct{ request, response func() proto.Message }
	methods := map[string]pair{
		"ServerLive":      {func() proto.Message { return &messages.ServerLiveRequest{} }, func() proto.Message { return &messages.ServerLiveResponse{} }},
		"ServerReady":     {func() proto.Message { return &messages.ServerReadyRequest{} }, func() proto.Message { return &messages.ServerReadyResponse{} }},
		"ModelReady":      {func() proto.Message { return &messages.ModelReadyRequest{} }, func() proto.Message { return &messages.ModelReadyResponse{} }},
		"ServerMetadata":  {func() proto.Message { return &messages.ServerMetadataRequest{} }, func() proto.Message { return &messages.ServerMetadataResponse{} }},
		"ModelMetadata":   {func() proto.Message { return &messages.ModelMetadataRequest{} }, func() proto.Message { return &messages.ModelMetadataResponse{} }},
		"ModelInfer":      {func() proto.Message { return &messages.ModelInferRequest{} }, func() proto.Message { return &messages.ModelInferResponse{} }},
		"RepositoryIndex": {func() proto.Message { return &messages.RepositoryIndexRequest{} }, func() proto.Message { return &messages.RepositoryIndexResponse{} }},
		"ModelConfig":     {func() proto.Message { return &messages.ModelConfigRequest{} }, func() proto.Message { return &messages.ModelConfigResponse{} }},
		"ModelStatistics": {func() proto.Message { return &messages.ModelStatisticsRequest{} }, func() proto.Message { return &messages.ModelStatisticsResponse{} }},

		"RepositoryModelLoad":   {func() proto.Message { return &messages.RepositoryModelLoadRequest{} }, func() proto.Message { return &messages.RepositoryModelLoadResponse{} }},
		"RepositoryModelUnload": {func() proto.Message { return &messages.RepositoryModelUnloadRequest{} }, func() proto.Message { return &messages.RepositoryModelUnloadResponse{} }},
	}
	datadriven.RunTest(t, "testdata/contract.txt", func(t *testing.T, d *datadriven.TestData) string {
		p, ok := methods[d.Cmd]
		if !ok {
			t.Fatalf("%s: no method %s", d.Pos, d.Cmd)
		}
		request, response := p.request(), p.response()
		if err := prototext.Unmarshal([]byte(d.Input), request); err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
		if err := conn.Invoke(t.Context(), "/"+service+"/"+d.Cmd, request, response); err != nil {
			s := grpcstatus.Convert(err)
			return s.Code().String() + ": " + s.Message() + "\n"
		}
		text, err := prototext.MarshalOptions{Multiline: true, Indent: " "}.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(text), ":  ", ": ") + "\n" // prototext writes blanks at random
	})
}

func raw(x ...float32) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func infer(x []byte, rows int64) *messages.ModelInferRequest {
	return &messages.ModelInferRequest{
		ModelName: "m", Id: "7",
		Inputs:           []*messages.ModelInferRequest_InferInputTensor{{Name: "x", Datatype: "FP32", Shape: []int64{rows, 2}}},
		RawInputContents: [][]byte{x},
	}
}

// TestCompressed: calls that are packed are answered packed, and large ones go through.
func TestCompressed(t *testing.T) {
	conn := dial(t, models(t))
	x := make([]float32, 1<<20)
	x[len(x)-1] = 5
	reply := &messages.ModelInferResponse{}
	if err := conn.Invoke(t.Context(), "/"+service+"/ModelInfer", infer(raw(x...), 1<<19), reply, grpc.UseCompressor(gzip.Name)); err != nil {
		t.Fatal(err)
	}
	if b := reply.RawOutputContents[0]; !slices.Equal(b[len(b)-4:], raw(-5)) {
		t.Errorf("%v", b[len(b)-4:])
	}
}

// TestStream: a stream answers each request, and goes on after an error.
func TestStream(t *testing.T) {
	conn := dial(t, models(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/"+service+"/ModelStreamInfer")
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range []*messages.ModelInferRequest{infer(raw(1, 2), 1), infer(raw(1), 1), infer(raw(3, 4), 1)} {
		reply := &messages.ModelStreamInferResponse{}
		if err := stream.SendMsg(q); err != nil {
			t.Fatal(err)
		}
		if err := stream.RecvMsg(reply); err != nil {
			t.Fatal(err)
		}
		if bad := i == 1; bad != (reply.ErrorMessage != "") || reply.GetInferResponse().GetId() != "7" {
			t.Errorf("request %d: %v", i, reply)
		}
	}
	stream.CloseSend()
}

// FuzzInfer: whatever the message, there is an answer, and no error is the server's.
func FuzzInfer(f *testing.F) {
	for _, q := range []*messages.ModelInferRequest{infer(raw(1, 2), 1), infer(raw(1), 1)} {
		b, err := proto.Marshal(q)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	s := &server{m: models(f)}
	f.Fuzz(func(t *testing.T, b []byte) {
		q := &messages.ModelInferRequest{}
		if proto.Unmarshal(b, q) != nil {
			return
		}
		q.ModelName = "m"
		if _, err := s.infer(t.Context(), q); err != nil {
			if c := grpcstatus.Code(unary.Error(err)); c == codes.Internal || c == codes.Unknown {
				t.Error(err)
			}
		}
	})
}

func Example() {
	m := serve.New(serve.Options{})
	defer m.Close(context.Background())
	server := grpc.NewServer()
	Register(server, m)
	defer server.Stop()
	for name, info := range server.GetServiceInfo() {
		os.Stdout.WriteString(name + "\n")
		_ = info
	}
	// Output: inference.GRPCInferenceService
}
