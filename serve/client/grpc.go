package client

import (
	"context"
	"math"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// A stub speaks TensorFlow Serving's gRPC interface.
type stub struct {
	conn  *grpc.ClientConn
	token string
	limit int64
}

// dial makes a connection, which is opened when it is first used.
func dial(a *address, o Options) (*stub, error) {
	secure := insecure.NewCredentials()
	if a.secure {
		secure = credentials.NewTLS(o.TLS)
	}
	options := append([]grpc.DialOption{
		grpc.WithTransportCredentials(secure),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(int(min(o.MaxReply, math.MaxInt32))),
			grpc.MaxCallSendMsgSize(math.MaxInt32)),
	}, o.Dial...)
	conn, err := grpc.NewClient("dns:///"+a.host, options...)
	if err != nil {
		return nil, status.Invalid("%v", err)
	}
	return &stub{conn, o.Token, o.MaxReply}, nil
}

func (s *stub) close() error { return s.conn.Close() }

// invoke calls a method of the service.
func (s *stub) invoke(ctx context.Context, method string, request, reply proto.Message) error {
	if s.token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+s.token)
	}
	err := s.conn.Invoke(ctx, "/tensorflow.serving.PredictionService/"+method, request, reply)
	if err == nil {
		return nil
	}
	if err := ended(ctx); err != nil {
		return err
	}
	e := grpcstatus.Convert(err)
	code := status.Code(e.Code())
	if e.Code() > codes.Unauthenticated {
		code = status.Unknown
	}
	hint := ""
	if strings.Contains(e.Message(), "looked like an HTTP/1.1 header") {
		hint = "; is the port that of REST? Its addresses begin with http://"
	}
	return status.Errorf(code, "%s%s", plain.Line(e.Message()), hint)
}

func spec(a *address, key string) *messages.ModelSpec {
	m := &messages.ModelSpec{Name: a.model, SignatureName: key}
	switch {
	case a.hasVersion:
		m.VersionChoice = &messages.ModelSpec_Version{Version: wrapperspb.Int64(a.version)}
	case a.label != "":
		m.VersionChoice = &messages.ModelSpec_VersionLabel{VersionLabel: a.label}
	}
	return m
}

func (s *stub) describe(ctx context.Context, a *address) (map[string]Signature, error) {
	request := &messages.GetModelMetadataRequest{ModelSpec: spec(a, ""), MetadataField: []string{"signature_def"}}
	reply := &messages.GetModelMetadataResponse{}
	if err := s.invoke(ctx, "GetModelMetadata", request, reply); err != nil {
		return nil, err
	}
	unread := func(err error) error {
		return status.Errorf(status.Internal, "the model's metadata cannot be read: %w", err)
	}
	var list messages.SignatureDefMap
	if err := proto.Unmarshal(reply.GetMetadata()["signature_def"].GetValue(), &list); err != nil {
		return nil, unread(err)
	}
	all := map[string]Signature{}
	for key, b := range list.GetSignatureDef() {
		var def wire.SignatureDef
		if err := proto.Unmarshal(b, &def); err != nil {
			return nil, unread(err)
		}
		all[key] = Signature{infosOf(def.GetInputs()), infosOf(def.GetOutputs()), def.GetMethodName()}
	}
	return all, nil
}

func infosOf(list map[string]*wire.TensorInfo) map[string]TensorInfo {
	all := map[string]TensorInfo{}
	for name, x := range list {
		t := TensorInfo{Name: x.GetName()}
		if dt := tensor.DType(x.GetDtype()); dt.Valid() {
			t.DType = dt
		}
		if s := x.GetTensorShape(); s != nil && !s.GetUnknownRank() {
			dims := make([]int64, len(s.GetDim()))
			for i, d := range s.GetDim() {
				dims[i] = max(-1, d.GetSize())
			}
			t.Shape = shape.Of(dims...)
		}
		all[name] = t
	}
	return all
}

func (s *stub) run(ctx context.Context, a *address, c call) (r Reply, err error) {
	request := &messages.PredictRequest{ModelSpec: spec(a, c.key), Inputs: map[string][]byte{}, OutputFilter: c.outputs}
	for name, t := range c.inputs {
		if request.Inputs[name], err = tensorproto.Marshal(t); err != nil {
			return r, status.Within(err, "input %q", name)
		}
	}
	reply := &messages.PredictResponse{}
	if err := s.invoke(ctx, "Predict", request, reply); err != nil {
		return r, err
	}
	r = Reply{map[string]*tensor.Tensor{}, reply.GetModelSpec().GetVersion().GetValue()}
	for name, b := range reply.GetOutputs() {
		if r.Outputs[name], err = tensorproto.Unmarshal(b, s.limit); err != nil {
			return Reply{}, status.Errorf(status.Internal, "the reply cannot be read: output %q: %w", name, err)
		}
	}
	return r, nil
}

// models returns nothing: the protocol has no list.
func (s *stub) models(context.Context, *address) []string { return nil }
