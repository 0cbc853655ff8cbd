package parsing

import (
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// findMessage finds the description of a type of messages: among those that the
// program links ("local://"), in a serialized FileDescriptorSet that is part of
// the source ("bytes://…"), or in a file that holds one.
func findMessage(ctx *kernel.Context, source, name string) (protoreflect.MessageDescriptor, error) {
	files, err := describedIn(ctx, source)
	if err != nil {
		return nil, err
	}
	d, err := files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil && strings.HasPrefix(name, "tensorflow.") {
		// The messages of TensorFlow that this module has bear its own name.
		d, err = files.FindDescriptorByName(protoreflect.FullName("troupe." + name))
	}
	if m, ok := d.(protoreflect.MessageDescriptor); ok && err == nil {
		return m, nil
	}
	return nil, status.Invalid("No descriptor found for message type %s", name)
}

func describedIn(ctx *kernel.Context, source string) (*protoregistry.Files, error) {
	set, inside := strings.CutPrefix(source, "bytes://")
	switch {
	case source == "" || source == "local://":
		return protoregistry.GlobalFiles, nil
	case !inside:
		text, err := contentsOf(ctx, source)
		if err != nil {
			return nil, status.Invalid("Source does not represent serialized file descriptor set proto: %s: %s", source, status.From(err).Message)
		}
		set = text
	}
	var described descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal([]byte(set), &described); err != nil {
		return nil, status.Invalid("Source does not represent serialized file descriptor set proto.")
	}
	files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(&described)
	if err != nil {
		return nil, status.Invalid("Failed to create a pool of descriptors: %v", err)
	}
	return files, nil
}

// maxDescription bounds the file of a FileDescriptorSet.
const maxDescription = 64 << 20

func contentsOf(ctx *kernel.Context, name string) (string, error) {
	f, err := ctx.Step.Files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxDescription+1))
	if err == nil && len(b) > maxDescription {
		err = status.Errorf(status.ResourceExhausted, "it has more than %d bytes", maxDescription)
	}
	return string(b), err
}

// reserialize parses a message, in text or binary form, and serializes it.
func reserialize(d protoreflect.MessageDescriptor, message string, text bool) ([]byte, error) {
	m := dynamicpb.NewMessage(d)
	if text {
		if err := wire.UnmarshalText(prototext.UnmarshalOptions{AllowPartial: true}, []byte(message), m); err != nil {
			return nil, status.Errorf(status.DataLoss, "Unable to parse text protobuf: %v", err)
		}
	} else if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal([]byte(message), m); err != nil {
		return nil, status.Errorf(status.DataLoss, "Unable to parse binary protobuf: %v", err)
	}
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, status.Errorf(status.DataLoss, "Unable to serialize a message again: %v", err)
	}
	return b, nil
}
