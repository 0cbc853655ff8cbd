// Package view writes graphs as HTML pages for a browser.
//
//	p := view.New("my model")
//	p.AddGraph("graph", g)
//	err := p.Write(w)
//
// The page is one file that loads nothing else. It shows graphs as nested boxes, by
// name scope, by frame or by device, which are folded and unfolded; only what is
// unfolded is laid out, so that graphs of 50,000 nodes open fast. A call of a function
// unfolds to the function's body. Nodes are searched by name, operation and shape; a
// click shows a node's documentation, attributes, inputs and consumers, and numbers and
// a histogram of a constant's elements. The address of the page holds what is unfolded,
// selected and in sight, so that it can be passed on as a link.
//
// `troupe show MODEL --web FILE` writes such a page. With a run, it also has the run's
// graph after rewriting ([Page.AddRun]) and after each pass ([Page.AddPass]).
//
// Recorded runs ([Page.AddRecording], package profile/recording, `troupe run --record`) are
// played on the graphs of their programs: a slider moves through the moments of the run,
// tokens stand on the edges, and two runs stand next to each other where they part.
//
// # Safety
//
// Names and values come from models that nobody has checked. They reach the page as
// JSON and are shown as text, never as markup. The page has a Content-Security-Policy
// that allows its own script and style sheet, by their hashes, and nothing else: no
// other script, no request, no form. How much of a graph is written is bounded
// ([MaxNodes]), as functions may call each other with any number of attributes; the
// page says what was left out.
//
// # The page's source
//
// The page's source is in the folder page: ES modules and a style sheet, and the layout
// library dagre with its licence. `go generate ./view` bundles them into page.js and
// page.css, which are checked in and embedded. The generator and the tests, which drive
// a Chromium, are in the module of the folder browser, so that their dependencies stay
// out of go.mod.
package view

//go:generate go -C browser run ./bundle
