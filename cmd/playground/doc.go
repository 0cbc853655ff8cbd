// Command playground is the core in a browser: compiled with GOOS=js GOARCH=wasm it gives a
// page the functions troupeRun and troupeExplore, which take a graph as text and return the
// outcome and the page on which it is played (package view/playground). On other systems it
// is nothing.
//
// view/browser/playground builds it into one HTML file.
package main
