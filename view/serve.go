package view

import (
	_ "embed"
	"html"
	"strings"
)

//go:embed serve.html
var serveText string

//go:embed serve.js
var serveScript string

// ServePage returns the page of package serve/page, and its Content-Security-Policy: its own
// script and style sheet, and requests to where it comes from.
func ServePage(title string) (page []byte, policy string) {
	policy = "default-src 'none'; script-src '" + digest(serveScript) + "'; style-src '" + digest(style) + "'; connect-src 'self'; base-uri 'none'; form-action 'none'"
	return []byte(strings.NewReplacer(
		"{{policy}}", policy,
		"{{style}}", style,
		"{{script}}", serveScript,
		"{{title}}", html.EscapeString(title),
	).Replace(serveText)), policy
}
