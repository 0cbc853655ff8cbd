package remote_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/actors/remote"
)

// Two endpoints, which would be in two processes.
func Example() {
	nothing := func(string, []byte, remote.Reply) {}
	server, err := remote.Listen(remote.Options{}, remote.Handler{Packet: nothing, Ask: func(_ context.Context, request []byte) ([]byte, error) {
		return append([]byte("hello, "), request...), nil
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client, err := remote.Listen(remote.Options{}, remote.Handler{Packet: nothing})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	answer, err := client.Ask(context.Background(), server.Address(), []byte("world"), true)
	fmt.Println(string(answer), err)
	// Output: hello, world <nil>
}
