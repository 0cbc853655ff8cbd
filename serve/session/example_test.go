package session_test

import (
	"context"
	"fmt"
	"log"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	serve "github.com/troupe-go/troupe/serve/session"
	"github.com/troupe-go/troupe/serve/session/master"
)

// A server on a loopback port, and a call to it. A Python program would connect by
// tf.compat.v1.Session("grpc://…").
func Example() {
	server, err := serve.New(serve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go server.Serve(listener)

	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	created := &master.CreateSessionResponse{}
	if err := conn.Invoke(context.Background(), "/tensorflow.MasterService/CreateSession", &master.CreateSessionRequest{}, created); err != nil {
		log.Fatal(err)
	}
	devices := &master.ListDevicesResponse{}
	if err := conn.Invoke(context.Background(), "/tensorflow.MasterService/ListDevices", &master.ListDevicesRequest{SessionHandle: created.SessionHandle}, devices); err != nil {
		log.Fatal(err)
	}
	fmt.Println(devices.LocalDevice[0].GetName(), server.Sessions())
	// Output:
	// /job:localhost/replica:0/task:0/device:CPU:0 1
}
