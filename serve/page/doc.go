// Package page serves a page of the models of a [serve.Manager]: their versions and states,
// rates and latencies, the requests that run and wait, and their signatures as forms that
// one can try, with pictures for inputs that are images.
//
//	mux.Handle("/v1/", serve.Handler(models, serve.HTTP{}))
//	mux.Handle("/", page.Handler(models, page.Options{}))
//
// The page needs no network but this server: its script and style are in it, and its
// Content-Security-Policy allows nothing else. Forms call TensorFlow Serving's REST
// interface, at [Options.REST]. Names and texts of models are shown as text.
//
// # Access
//
// Without a token only this machine sees what the models do, unless [Options.Anyone] is
// set; see package [stream].
//
// [stream]: https://pkg.go.dev/github.com/troupe-go/troupe/view/stream
package page
