// Package remote carries messages between processes: the network below the shell of
// package cluster. It is the only place that knows both Proto.Actor's remote and gRPC.
//
// An [Endpoint] listens on one port. It has three ways to another one:
//
//	Post   small control messages, by Proto.Actor's remote, to the actor "troupe" there
//	Push   small messages that must be fast, on a gRPC stream that stays open
//	Fetch  large buffers, each on a gRPC stream of its own, into memory of the caller's
//
// and Ask, a call with a response. Post and Push deliver at most once and in no order:
// what is above numbers its messages (cluster/protocol). Neither blocks; what cannot be
// sent is dropped. Fetch writes what arrives where the caller wants it, without a copy in
// between, in chunks, and ends with its context.
//
// # Strangers
//
// Proto.Actor's remote trusts whoever connects: an unknown type name, an index out of
// range, or a call of a method that it does not implement ends the process, and any actor
// can be sent any message. Here each call has to show the token, if there is one; calls
// are refused unless they are known, batches unless all they hold is for the actor
// "troupe" and of the one type that it reads; and what panics nevertheless is recovered.
// With a [tls.Config] both sides show certificates. An address that is not loopback needs
// one of these, or [Options].Insecure.
//
// # Limits of Proto.Actor's remote
//
// Its queues are not bounded, and it reconnects after two seconds at the earliest. So an
// endpoint gives it at most a few messages for an address that is not connected, and
// waits for connections within gRPC.
package remote
