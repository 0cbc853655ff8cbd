package prediction

import (
	"context"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

func (s *server) predict(ctx context.Context, r *messages.PredictRequest) (*messages.PredictResponse, error) {
	of, u, err := s.run(ctx, r.GetModelSpec())
	if err != nil {
		return nil, err
	}
	defer u.Close()
	sig, ok := u.Model().Signatures[of.Signature]
	switch {
	case !ok:
		return nil, status.Errorf(status.FailedPrecondition, "Serving signature key \"%s\" not found.", of.Signature)
	case sig.MethodName != serve.MethodPredict && sig.MethodName != serve.MethodClassify && sig.MethodName != serve.MethodRegress:
		return nil, status.Errorf(status.Internal, "Expected prediction signature method_name to be one of {%s, %s, %s}. Was: %s",
			serve.MethodPredict, serve.MethodClassify, serve.MethodRegress, sig.MethodName)
	}
	in := inputs{u: u}
	defer in.release()
	inputs, err := in.all(r.GetInputs())
	if err != nil {
		return nil, err
	}
	outputs, err := u.Run(ctx, of.Signature, inputs, r.GetOutputFilter()...)
	if err != nil {
		return nil, err
	}
	reply := &messages.PredictResponse{ModelSpec: used(of, u.Version()), Outputs: make(map[string][]byte, len(outputs))}
	for name, t := range outputs {
		const around = 128 // bytes of type and shape
		if reply.Outputs[name], err = tensorproto.Append(make([]byte, 0, t.NumElements()*t.DType().Size()+around), t); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// metadata answers with the signatures of a version.
func (s *server) metadata(ctx context.Context, r *messages.GetModelMetadataRequest) (*messages.GetModelMetadataResponse, error) {
	of, u, err := s.use(ctx, r.GetModelSpec())
	if err != nil {
		return nil, err
	}
	defer u.Close()
	if len(r.GetMetadataField()) == 0 {
		return nil, status.Invalid("GetModelMetadataRequest must specify at least one metadata_field")
	}
	for _, field := range r.GetMetadataField() {
		if field != "signature_def" {
			return nil, status.Invalid("Metadata field %s is not supported", field)
		}
	}
	all := &messages.SignatureDefMap{SignatureDef: map[string][]byte{}}
	for name, sig := range u.Model().Signatures {
		if all.SignatureDef[name], err = proto.Marshal(signatureDef(sig)); err != nil {
			return nil, status.From(err)
		}
	}
	b, err := proto.Marshal(all)
	if err != nil {
		return nil, status.From(err)
	}
	version := used(of, u.Version())
	version.SignatureName = ""
	return &messages.GetModelMetadataResponse{ModelSpec: version, Metadata: map[string]*anypb.Any{
		"signature_def": {TypeUrl: "type.googleapis.com/tensorflow.serving.SignatureDefMap", Value: b},
	}}, nil
}

// signatureDef returns a signature's message.
func signatureDef(s model.Signature) *wire.SignatureDef {
	infos := func(list map[string]model.TensorInfo) map[string]*wire.TensorInfo {
		all := map[string]*wire.TensorInfo{}
		for name, t := range list {
			shape := &wire.TensorShapeProto{}
			dims, err := t.Shape.ToSlice()
			shape.UnknownRank = err != nil
			for _, d := range dims {
				shape.Dim = append(shape.Dim, &wire.TensorShapeProto_Dim{Size: d})
			}
			all[name] = &wire.TensorInfo{Encoding: &wire.TensorInfo_Name{Name: t.Name}, Dtype: wire.DataType(t.DType), TensorShape: shape}
		}
		return all
	}
	return &wire.SignatureDef{Inputs: infos(s.Inputs), Outputs: infos(s.Outputs), MethodName: s.MethodName}
}

// status answers with the states of a model's versions.
func (s *server) status(_ context.Context, r *messages.GetModelStatusRequest) (*messages.GetModelStatusResponse, error) {
	of, err := spec(r.GetModelSpec())
	if err != nil {
		return nil, err
	}
	if of.Label != "" {
		u, err := s.m.Use(of)
		if err != nil {
			return nil, err
		}
		u.Close()
	}
	list, err := s.m.Status(of)
	if err != nil {
		return nil, err
	}
	reply := &messages.GetModelStatusResponse{}
	for _, v := range list {
		st := &messages.StatusProto{}
		if v.Err != nil {
			e := status.From(v.Err)
			st.ErrorCode, st.ErrorMessage = int32(e.Code), e.Error()
		}
		reply.ModelVersionStatus = append(reply.ModelVersionStatus, &messages.ModelVersionStatus{Version: v.Version, State: int32(v.State), Status: st})
	}
	return reply, nil
}
