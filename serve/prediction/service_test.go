package prediction

import (
	"context"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client serves a model over a connection, and returns what calls it.
func client(t testing.TB) func(method string, request, response proto.Message) error {
	call, _ := clientOf(t)
	return call
}

func clientOf(t testing.TB) (func(method string, request, response proto.Message) error, *serve.Manager) {
	g := graph.New()
	if err := notation.Add(g, `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [?]}
two = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 2>}
y = Mul(x, two)
inputs = Placeholder() {dtype=DT_STRING, shape=shape [?]}
size = StringLength(inputs)
outputs = Cast(size) {DstT=DT_FLOAT}
minus = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: -1>}
scores = ExpandDims(outputs, minus)
classes = ExpandDims(inputs, minus)
`); err != nil {
		t.Fatal(err)
	}
	out := func(names ...string) map[string]graph.Output {
		all := map[string]graph.Output{}
		for _, n := range names {
			all[n] = g.Operation(n).Output(0)
		}
		return all
	}
	dir := filepath.Join(t.TempDir(), "m", "7")
	os.Mkdir(filepath.Dir(dir), 0o755)
	if err := model.Write(dir, model.Export{Graph: g, Signatures: map[string]model.ExportSignature{
		"serving_default": {Inputs: out("x"), Outputs: out("y")},
		"length":          {Inputs: out("inputs"), Outputs: out("outputs"), Method: serve.MethodRegress},
		"class":           {Inputs: out("inputs"), Outputs: out("classes", "scores"), Method: serve.MethodClassify},
	}}); err != nil {
		t.Fatal(err)
	}
	m := serve.New(serve.Options{})
	if err := m.Add(t.Context(), serve.Config{Name: "m", Path: filepath.Dir(dir), Labels: map[string]int64{"stable": 7}}); err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnaryInterceptor(Recover), grpc.InTapHandle(Refuse(m)))
	Register(s, m)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	c, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		s.GracefulStop()
		<-served
		m.Close(context.Background())
	})
	return func(method string, request, response proto.Message) error {
		return c.Invoke(context.Background(), "/tensorflow.serving."+method, request, response)
	}, m
}

func of(signature string) *messages.ModelSpec {
	return &messages.ModelSpec{Name: "m", SignatureName: signature}
}

func floats(t testing.TB, x ...float32) []byte {
	v, err := tensor.FromSlice(x, int64(len(x)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := tensorproto.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPredict(t *testing.T) {
	call := client(t)
	for _, m := range []*messages.ModelSpec{
		of(""), of("serving_default"),
		{Name: "m", VersionChoice: &messages.ModelSpec_Version{Version: wrapperspb.Int64(7)}},
		{Name: "m", VersionChoice: &messages.ModelSpec_VersionLabel{VersionLabel: "stable"}},
	} {
		var reply messages.PredictResponse
		if err := call("PredictionService/Predict", &messages.PredictRequest{ModelSpec: m, Inputs: map[string][]byte{"x": floats(t, 1, 2)}, OutputFilter: []string{"y"}}, &reply); err != nil {
			t.Fatal(err)
		}
		y, err := tensorproto.Unmarshal(reply.Outputs["y"], 1<<20)
		if err != nil || y.String() == "" || y.Value().([]float32)[1] != 4 {
			t.Errorf("%v, %v", y, err)
		}
		if s := reply.ModelSpec; s.Name != "m" || s.SignatureName != "serving_default" || s.GetVersion().GetValue() != 7 {
			t.Errorf("%v", s)
		}
	}
}

func TestErrors(t *testing.T) {
	call := client(t)
	x := map[string][]byte{"x": floats(t, 1)}
	for name, c := range map[string]struct {
		r    *messages.PredictRequest
		code codes.Code
	}{
		"no model":         {&messages.PredictRequest{}, codes.InvalidArgument},
		"another model":    {&messages.PredictRequest{ModelSpec: &messages.ModelSpec{Name: "other"}}, codes.NotFound},
		"another version":  {&messages.PredictRequest{ModelSpec: &messages.ModelSpec{Name: "m", VersionChoice: &messages.ModelSpec_Version{Version: wrapperspb.Int64(8)}}}, codes.NotFound},
		"another label":    {&messages.PredictRequest{ModelSpec: &messages.ModelSpec{Name: "m", VersionChoice: &messages.ModelSpec_VersionLabel{VersionLabel: "x"}}}, codes.InvalidArgument},
		"no signature":     {&messages.PredictRequest{ModelSpec: of("none"), Inputs: x}, codes.FailedPrecondition},
		"no input":         {&messages.PredictRequest{ModelSpec: of("")}, codes.InvalidArgument},
		"another input":    {&messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": floats(t, 1), "z": floats(t, 1)}}, codes.InvalidArgument},
		"no tensor":        {&messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": []byte("?")}}, codes.InvalidArgument},
		"another output":   {&messages.PredictRequest{ModelSpec: of(""), Inputs: x, OutputFilter: []string{"z"}}, codes.InvalidArgument},
		"an output twice":  {&messages.PredictRequest{ModelSpec: of(""), Inputs: x, OutputFilter: []string{"y", "y"}}, codes.InvalidArgument},
		"another type":     {&messages.PredictRequest{ModelSpec: of("length"), Inputs: map[string][]byte{"inputs": floats(t, 1)}}, codes.InvalidArgument},
		"huge, of nothing": {&messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": huge()}}, codes.InvalidArgument},
	} {
		err := call("PredictionService/Predict", c.r, &messages.PredictResponse{})
		if got := grpcstatus.Code(err); got != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := call("PredictionService/SessionRun", of(""), of("")); grpcstatus.Code(err) != codes.Unimplemented {
		t.Error(err)
	}
}

// huge is a tensor that is said to have 2^60 elements, and has none.
func huge() []byte {
	dim := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1<<60)
	shape := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), dim)
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
	return protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), shape)
}

func TestExamples(t *testing.T) {
	call := client(t)
	in := &messages.Input{Kind: &messages.Input_ExampleListWithContext{ExampleListWithContext: &messages.ExampleListWithContext{
		Examples: [][]byte{{1}, {2, 3}}, Context: []byte{9},
	}}}
	var r messages.RegressionResponse
	if err := call("PredictionService/Regress", &messages.RegressionRequest{ModelSpec: of("length"), Input: in}, &r); err != nil {
		t.Fatal(err)
	}
	if x := r.Result.Regressions; len(x) != 2 || x[0].Value != 2 || x[1].Value != 3 {
		t.Errorf("%v", x)
	}
	in = &messages.Input{Kind: &messages.Input_ExampleList{ExampleList: &messages.ExampleList{Examples: [][]byte{[]byte("abc")}}}}
	var c messages.ClassificationResponse
	if err := call("PredictionService/Classify", &messages.ClassificationRequest{ModelSpec: of("class"), Input: in}, &c); err != nil {
		t.Fatal(err)
	}
	if x := c.Result.Classifications; len(x) != 1 || x[0].Classes[0].Label != "abc" || x[0].Classes[0].Score != 3 {
		t.Errorf("%v", x)
	}
	var both messages.MultiInferenceResponse
	tasks := []*messages.InferenceTask{{ModelSpec: of("class"), MethodName: serve.MethodClassify}, {ModelSpec: of("length"), MethodName: serve.MethodRegress}}
	if err := call("PredictionService/MultiInference", &messages.MultiInferenceRequest{Tasks: tasks, Input: in}, &both); err != nil || len(both.Results) != 2 {
		t.Fatal(&both, err)
	}
	for _, wrong := range []*messages.MultiInferenceRequest{
		{}, {Tasks: append(tasks, tasks[0]), Input: in}, {Tasks: tasks},
		{Tasks: []*messages.InferenceTask{tasks[0], {ModelSpec: &messages.ModelSpec{Name: "n"}, MethodName: serve.MethodRegress}}, Input: in},
	} {
		if err := call("PredictionService/MultiInference", wrong, &both); grpcstatus.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	if err := call("PredictionService/Classify", &messages.ClassificationRequest{ModelSpec: of("length"), Input: in}, &c); grpcstatus.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
}

func TestStatusAndMetadata(t *testing.T) {
	call := client(t)
	var s messages.GetModelStatusResponse
	if err := call("ModelService/GetModelStatus", &messages.GetModelStatusRequest{ModelSpec: of("")}, &s); err != nil {
		t.Fatal(err)
	}
	if v := s.ModelVersionStatus; len(v) != 1 || v[0].Version != 7 || v[0].State != int32(serve.Available) || v[0].Status.ErrorCode != 0 {
		t.Errorf("%v", v)
	}
	var m messages.GetModelMetadataResponse
	if err := call("PredictionService/GetModelMetadata", &messages.GetModelMetadataRequest{ModelSpec: of(""), MetadataField: []string{"signature_def"}}, &m); err != nil {
		t.Fatal(err)
	}
	var all messages.SignatureDefMap
	if err := proto.Unmarshal(m.Metadata["signature_def"].Value, &all); err != nil || len(all.SignatureDef) != 3 {
		t.Errorf("%v, %v", &all, err)
	}
	for _, fields := range [][]string{nil, {"other"}} {
		if err := call("PredictionService/GetModelMetadata", &messages.GetModelMetadataRequest{ModelSpec: of(""), MetadataField: fields}, &m); grpcstatus.Code(err) != codes.InvalidArgument {
			t.Error(err)
		}
	}
}

// FuzzRequests: whatever the bytes of a request are, there is an answer, which is no panic.
func FuzzRequests(f *testing.F) {
	call := client(f)
	seed, _ := proto.Marshal(&messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": floats(f, 1)}})
	f.Add(uint8(0), seed)
	f.Add(uint8(1), seed)
	methods := []string{"Predict", "Classify", "Regress", "MultiInference", "GetModelMetadata"}
	f.Fuzz(func(t *testing.T, method uint8, b []byte) {
		err := call("PredictionService/"+methods[int(method)%len(methods)], raw(b), &messages.ModelSpec{})
		if grpcstatus.Code(err) == codes.Internal && !strings.Contains(err.Error(), "unmarshal") {
			t.Error(err)
		}
	})
}

// raw is a message of these bytes.
func raw(b []byte) proto.Message {
	m := &messages.StatusProto{}
	m.ProtoReflect().SetUnknown(b)
	return m
}

// TestAnnounced: a message of a few bytes that announces a large tensor is counted, and
// refused if the model could not hold it or others hold too much.
func TestAnnounced(t *testing.T) {
	call, m := clientOf(t)
	ones := func(n int64, dt wire.DataType) []byte {
		b, err := proto.Marshal(&wire.TensorProto{Dtype: dt, FloatVal: []float32{1}, TensorShape: &wire.TensorShapeProto{Dim: []*wire.TensorShapeProto_Dim{{Size: n}}}})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	ask := func(n int64) (float32, error) {
		out := &messages.PredictResponse{}
		err := call("PredictionService/Predict", &messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": ones(n, wire.DataType_DT_FLOAT)}}, out)
		if err != nil {
			return 0, err
		}
		y, err := tensorproto.Unmarshal(out.GetOutputs()["y"], 0)
		if err != nil {
			t.Fatal(err)
		}
		v := tensor.ValueOf(y)
		return tensor.Of[float32](&v)[n-1], nil
	}
	if y, err := ask(1 << 18); err != nil || y != 2 {
		t.Errorf("%v, %v", y, err)
	}
	for _, n := range []int64{1 << 28, 1 << 40, 1 << 60, math.MaxInt64} {
		_, err := ask(n)
		if s := grpcstatus.Convert(err); s.Code() != codes.ResourceExhausted && n < 1<<60 || err == nil || !strings.Contains(s.Message(), "input 'x'") {
			t.Errorf("%d elements: %v", n, err)
		}
	}
	u, err := m.Use(serve.Spec{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	release, err := u.Expand(255 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(1 << 19); grpcstatus.Code(err) != codes.ResourceExhausted {
		t.Errorf("while others hold all: %v", err)
	}
	release()
	if _, err := ask(1 << 19); err != nil {
		t.Error(err)
	}
	if release, err = u.Expand(256 << 20); err != nil { // all that was held is free
		t.Fatal(err)
	}
	release()
	for _, dt := range []wire.DataType{wire.DataType_DT_STRING, wire.DataType_DT_COMPLEX128, wire.DataType_DT_BOOL} {
		text := ones(1000, dt)
		x, err := tensorproto.Unmarshal(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := announced(text); got < int64(x.SizeBytes()) || got > 2*int64(x.SizeBytes()) {
			t.Errorf("%v: %d bytes announced, %d taken", dt, got, x.SizeBytes())
		}
	}
}
