package reflection_test

import (
	"fmt"

	"google.golang.org/grpc"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/inference"
	"github.com/troupe-go/troupe/serve/reflection"
)

// A server that grpcurl can ask for its services.
func Example() {
	server := grpc.NewServer()
	inference.Register(server, serve.New(serve.Options{}))
	if err := reflection.Register(server); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(server.GetServiceInfo()), "services")
	// Output: 3 services
}
