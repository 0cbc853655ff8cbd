package view

import (
	_ "embed"
	"html"
	"strings"
)

//go:embed live.html
var liveText string

//go:embed live.js
var liveScript string

// LivePage returns the page of package view/live, and its Content-Security-Policy: its own
// script and style sheet, and requests to where it comes from.
func LivePage(title string) (page []byte, policy string) {
	policy = "default-src 'none'; script-src '" + digest(liveScript) + "'; style-src '" + digest(style) + "'; connect-src 'self'; base-uri 'none'; form-action 'none'"
	return []byte(strings.NewReplacer(
		"{{policy}}", policy,
		"{{style}}", style,
		"{{script}}", liveScript,
		"{{title}}", html.EscapeString(title),
	).Replace(liveText)), policy
}
