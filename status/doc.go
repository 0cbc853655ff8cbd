// Package status defines Troupe's error type and the canonical status codes.
//
// An [Error] carries a [Code], a message, and, when a running step produced
// it, the node, op, frame and device it came from. Errors work with the
// standard library: errors.As finds the *Error, errors.Is compares codes and
// reaches the cause, so that errors.Is(err, context.Canceled) holds for a
// step that a context ended.
package status
