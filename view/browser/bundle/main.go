// Bundle makes page.js and page.css of package view from the modules in its folder page.
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/evanw/esbuild/pkg/api"
)

var files = []struct{ source, bundle, licence string }{
	{"../page/main.js", "../page.js", "../page/dagre/LICENSE"},
	{"../page/live.js", "../live.js", ""},
	{"../page/serve.js", "../serve.js", ""},
	{"../page/playground.js", "../playground/page.js", ""},
	{"../page/style.css", "../page.css", ""},
}

func main() {
	for _, f := range files {
		text, err := bundle(f.source, f.licence)
		if err == nil {
			err = os.WriteFile(f.bundle, text, 0o666)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bundle:", err)
			os.Exit(1)
		}
	}
}

// bundle returns a bundle that begins with a licence, if there is one.
func bundle(file, licence string) ([]byte, error) {
	banner := map[string]string{}
	if licence != "" {
		text, err := os.ReadFile(licence)
		if err != nil {
			return nil, err
		}
		banner["js"] = "/* Contains dagre, https://github.com/dagrejs/dagre.\n" + string(text) + "*/"
	}
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{file}, Bundle: true, Format: api.FormatESModule, Target: api.ES2023,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, LegalComments: api.LegalCommentsNone, Banner: banner,
		Charset: api.CharsetASCII, // <, say, is no danger then in any encoding
	})
	for _, e := range r.Errors {
		return nil, fmt.Errorf("%s: %s", file, e.Text)
	}
	text := r.OutputFiles[0].Contents
	// What ends or opens the element that it is embedded in.
	for _, s := range []string{"</script", "<!--", "<script", "</style"} {
		if bytes.Contains(bytes.ToLower(text), []byte(s)) {
			return nil, fmt.Errorf("%s: the bundle contains %s", file, s)
		}
	}
	return text, nil
}
