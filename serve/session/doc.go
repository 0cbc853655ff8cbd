// Package session serves sessions over gRPC to unmodified TensorFlow clients: it
// implements TensorFlow's MasterService, which tf.compat.v1.Session speaks when its
// target is a URL.
//
//	server, err := session.New(session.Options{})
//	if err != nil { … }
//	defer server.Close()
//	listener, err := net.Listen("tcp", "127.0.0.1:2222")
//	if err != nil { … }
//	err = server.Serve(listener) // tf.compat.v1.Session("grpc://localhost:2222")
//
// A client creates a session with a graph, extends the graph, and runs steps in it by
// name: RunStep, partial runs and callables. Each of its sessions is a [session.Session]
// of this process over a graph of its own. Variables, queues and tables belong to the
// server's containers, which all sessions share unless their ConfigProto sets
// isolate_session_state; Reset closes all sessions and clears containers. CloseSession
// ends the session's running steps.
//
// A server is one task, or all tasks of a cluster ([Options].Cluster), each at an address
// of its own ([Server.ServeTask]). Nodes on /job:ps/task:0 use the variables and queues of
// that task, from whichever task a session was opened at: so programs for parameter servers
// and workers run against one process. With [Options].Workers the tasks are processes of
// their own, [cluster.Worker], and the server places graphs on them; [ParseClusterText] and
// [ParseClusterYAML] read their addresses.
//
// Errors have TensorFlow's codes, and in their messages the node in the form that the
// client looks for, [[{{node NAME}}]]. A step ends when its client cancels the call, or
// at the timeout of its RunOptions.
//
// The server trusts its clients with computation, memory up to its limits, and files
// that Options.Session.Files permits, by default none. Without a [Options.Token] or
// client certificates in [Options.TLS] anyone who reaches the port is a client, so listen
// on a loopback address unless one of them is set.
//
// Only programs that serve import this package, which links gRPC.
//
// [cluster.Worker]: https://pkg.go.dev/github.com/troupe-go/troupe/cluster#Worker
// [session.Session]: https://pkg.go.dev/github.com/troupe-go/troupe/session#Session
package session
