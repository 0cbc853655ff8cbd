// Package live serves a page that shows what the sessions of a process are doing now:
// running steps, who waits for whom and since when, rates, the fill of queues, memory by
// owner, and the last errors.
//
//	mux.Handle("/live/", http.StripPrefix("/live", live.Handler(live.Of(sessions), live.Options{})))
//
// The page reads a stream of server-sent events. While no one reads one, sessions count
// nothing and are asked nothing; [Options.Viewers] bounds how many do.
//
// # Access
//
// The page itself holds nothing of the process. What it reads needs the token, as
// "Authorization: Bearer TOKEN"; the page takes it from its address, after "#token=". Without
// a token only clients on the loopback interface are served, and only under the name
// localhost or a loopback address, so that no page of another origin can read it.
// Steps can be aborted if [Options.Abort] is set.
package live
