// Package serve serves SavedModels: a [Manager] of models and their versions, which knows
// no network, and [Handler], an http.Handler with TensorFlow Serving's REST interface.
//
//	models := serve.New(serve.Options{})
//	err := models.Add(ctx, serve.Config{Name: "digits", Path: "models/digits"})
//	mux.Handle("/v1/", serve.Handler(models, serve.HTTP{}))
//
// A model's folder has a folder for each version, named by its number, as TensorFlow
// Serving wants it; a folder that is a SavedModel itself is version 1.
// [Manager.Refresh] looks for versions that came or went, and [Manager.Watch] does so
// again and again: a new version is loaded and compiled beside the old one, takes over
// between two requests, and the old one ends when its last request has. One that does
// not load leaves the old one serving, and the reason in [Manager.Status].
//
// What a request may take is bounded: [Options] says how many requests of a model run
// and wait, for how long, and how much memory its tensors take. What does not fit is
// refused at once with RESOURCE_EXHAUSTED.
//
// A Manager starts goroutines while it loads and watches; Close ends them.
package serve
