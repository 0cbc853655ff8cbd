// Package live serves a page that shows what the sessions of a process are doing now:
// running steps, who waits for whom and since when, rates, the fill of queues, memory by
// owner, and the last errors.
//
//	mux.Handle("/live/", http.StripPrefix("/live", live.Handler(live.Of(sessions), live.Options{})))
//
// The page reads a stream of server-sent events. While no one reads one, sessions count
// nothing and are asked nothing; [Options.Viewers] bounds how many do.
//
// The token of [Options] works as package [stream] says. Steps can be aborted if
// [Options.Abort] is set.
//
// [stream]: https://pkg.go.dev/github.com/troupe-go/troupe/view/stream
package live
