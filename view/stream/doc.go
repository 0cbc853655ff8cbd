// Package stream serves a page and the stream of server-sent events that it reads: the
// common part of [view/live] and [serve/page].
//
// # Access
//
// The page itself holds nothing of the process. What it reads needs the token, as
// "Authorization: Bearer TOKEN"; the page takes it from its address, after "#token=". Without
// a token only clients on the loopback interface are served, and only under the name
// localhost or a loopback address, so that no page of another origin can read it.
//
// A viewer that stops reading is dropped after ten seconds.
//
// [view/live]: https://pkg.go.dev/github.com/troupe-go/troupe/view/live
// [serve/page]: https://pkg.go.dev/github.com/troupe-go/troupe/serve/page
package stream
