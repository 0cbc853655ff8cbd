package logging

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Timestamp").
		Output("ts: double").
		Stateful().
		Doc("Tells the time in seconds since 1970.")
}
