//go:build !js

package playground

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"io"
	"strings"

	"github.com/troupe-go/troupe/view"
)

//go:embed page.html
var pageText string

//go:embed page.js
var script string

// Page returns one HTML file that holds the program, compiled from cmd/playground with
// GOOS=js GOARCH=wasm, and what starts it, the file lib/wasm/wasm_exec.js of the same Go.
func Page(program []byte, start string) ([]byte, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = io.Copy(z, bytes.NewReader(program))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, err
	}
	inner, style := view.Assets()
	return []byte(strings.NewReplacer(
		"{{policy}}", "default-src 'none'; script-src '"+view.Digest(start)+"' '"+view.Digest(script)+"' '"+view.Digest(inner)+"' 'wasm-unsafe-eval'; style-src '"+view.Digest(style)+"'; frame-src 'self'; base-uri 'none'; form-action 'none'",
		"{{style}}", style,
		"{{exec}}", start,
		"{{script}}", script,
		"{{wasm}}", base64.StdEncoding.EncodeToString(packed.Bytes()),
	).Replace(pageText)), nil
}
