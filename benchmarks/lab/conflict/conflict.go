// Package conflict lets two libraries of actors live in one program although both register
// protocol buffers named actor.PID, of which the laboratory sends none: the second one is
// ignored, where otherwise the program would end before it began.
//
// The setting must be made before those libraries are initialized. Packages without
// imports that are not yet initialized go in the order of their paths, and both libraries
// wait for google.golang.org/protobuf, whose path is behind this one's.
package conflict

import "os"

func init() {
	const policy = "GOLANG_PROTOBUF_REGISTRATION_CONFLICT"
	if os.Getenv(policy) == "" {
		os.Setenv(policy, "ignore")
	}
}
