package reflection

import (
	_ "embed"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	configs "github.com/troupe-go/troupe/serve/config/messages"
	inferences "github.com/troupe-go/troupe/serve/inference/messages"
	predictions "github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// renamed are the packages of our messages, and their names on the wire.
var renamed = []struct{ ours, theirs string }{
	{"troupe.serving.config", "tensorflow.serving"},
	{"troupe.serving", "tensorflow.serving"},
	{"troupe.tensorflow", "tensorflow"},
	{"troupe.inference", "inference"},
}

// contents are fields that are bytes for us, and the messages that they contain.
var contents = map[string]string{
	"PredictRequest.InputsEntry.value":        "tensorflow.TensorProto",
	"PredictResponse.OutputsEntry.value":      "tensorflow.TensorProto",
	"ExampleList.examples":                    "tensorflow.Example",
	"ExampleListWithContext.examples":         "tensorflow.Example",
	"ExampleListWithContext.context":          "tensorflow.Example",
	"SignatureDefMap.SignatureDefEntry.value": "tensorflow.SignatureDef",
	"ReloadConfigRequest.config":              "tensorflow.serving.ModelServerConfig",
	"NamedTensorProto.tensor":                 "tensorflow.TensorProto",
	"SessionRunRequest.options":               "tensorflow.RunOptions",
	"SessionRunResponse.metadata":             "tensorflow.RunMetadata",
	"ModelConfigList.custom_model_config":     "google.protobuf.Any",
	"ModelServerConfig.custom_model_config":   "google.protobuf.Any",
}

// services are files with Example and with the services of TensorFlow Serving, as text.
//
//go:embed services.txtpb
var services string

// predictionFile has the services of TensorFlow Serving.
const predictionFile = "messages.proto"

// files returns the descriptors of the services' messages under the names that they have on
// the wire.
func files() (*protoregistry.Files, error) {
	set := &descriptorpb.FileDescriptorSet{}
	extra := &descriptorpb.FileDescriptorSet{}
	if err := prototext.Unmarshal([]byte(services), extra); err != nil {
		return nil, status.Errorf(status.Internal, "%v", err)
	}
	seen := map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, rename(protodesc.ToFileDescriptorProto(f)))
	}
	add(wire.File_troupe_tensor_proto)
	add(wire.File_troupe_saved_model_proto)
	add(wire.File_troupe_session_proto)
	set.File = append(set.File, extra.File[0]) // Example
	add(configs.File_serving_config_proto)
	add(predictions.File_messages_proto)
	add(inferences.File_troupe_inference_inference_proto)
	for _, f := range set.File {
		if f.GetName() == predictionFile {
			f.Service = extra.File[1].Service
			f.Dependency = append(f.Dependency, "troupe/tensor.proto", "troupe/saved_model.proto", "troupe/session.proto", "serving_config.proto", extra.File[0].GetName())
		}
		if f.GetName() == "serving_config.proto" && !slices.Contains(f.Dependency, "google/protobuf/any.proto") {
			f.Dependency = append(f.Dependency, "google/protobuf/any.proto")
		}
	}
	out, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, status.Errorf(status.Internal, "%v", err)
	}
	return out, nil
}

// rename gives a file, its messages and their fields the names that they have on the wire.
func rename(f *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	f = proto.CloneOf(f)
	ours := f.GetPackage()
	for _, r := range renamed {
		if ours == r.ours {
			f.Package = proto.String(r.theirs)
		}
	}
	for _, m := range f.MessageType {
		message(m, m.GetName())
	}
	for _, s := range f.Service {
		for _, m := range s.Method {
			m.InputType, m.OutputType = proto.String(theirs(m.GetInputType())), proto.String(theirs(m.GetOutputType()))
		}
	}
	return f
}

func message(m *descriptorpb.DescriptorProto, path string) {
	for _, f := range m.Field {
		if f.TypeName != nil {
			f.TypeName = proto.String(theirs(f.GetTypeName()))
		}
		if of, ok := contents[path+"."+f.GetName()]; ok && f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_BYTES {
			f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String("."+of)
		}
	}
	for _, n := range m.NestedType {
		message(n, path+"."+n.GetName())
	}
}

// theirs returns the name of a message on the wire.
func theirs(name string) string {
	for _, r := range renamed {
		if rest, ok := strings.CutPrefix(name, "."+r.ours+"."); ok {
			return "." + r.theirs + "." + rest
		}
	}
	return name
}
