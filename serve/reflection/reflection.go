package reflection

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A Server is a *grpc.Server.
type Server interface {
	grpc.ServiceRegistrar
	reflection.ServiceInfoProvider
}

// Register adds the service, in its versions v1 and v1alpha.
func Register(s Server) error {
	own, err := files()
	if err != nil {
		return err
	}
	o := reflection.ServerOptions{Services: s, DescriptorResolver: resolver{own}}
	reflectionv1.RegisterServerReflectionServer(s, reflection.NewServerV1(o))
	reflectionv1alpha.RegisterServerReflectionServer(s, reflection.NewServer(o))
	return nil
}

// A resolver finds descriptors in ours, and then in those of the program.
type resolver struct{ own *protoregistry.Files }

var _ protodesc.Resolver = resolver{}

// FindFileByPath implements protodesc.Resolver.
func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if f, err := r.own.FindFileByPath(path); err == nil {
		return f, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName implements protodesc.Resolver.
func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d, err := r.own.FindDescriptorByName(name); err == nil {
		return d, nil
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}
