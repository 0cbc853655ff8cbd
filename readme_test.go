package troupe_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goBlock  = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	quoted   = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
	mainBody = regexp.MustCompile(`(?s)func main\(\) \{\n(.*)\n\}`)
)

// The Go code of the README and of the pages in docs is that of tested examples.
func TestDocumentedCode(t *testing.T) {
	examples := ""
	for _, pattern := range []string{"example*_test.go", "op/example_test.go", "serve/example_test.go", "serve/page/example_test.go", "serve/client/example_test.go", "examples/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, name := range files {
			examples += code(read(t, name))
		}
	}
	for _, name := range pages(t) {
		blocks := goBlock.FindAllStringSubmatch(read(t, name), -1)
		if name == "README.md" && len(blocks) == 0 {
			t.Error("the README has no Go code")
		}
		for _, block := range blocks {
			text := block[1]
			if body := mainBody.FindStringSubmatch(text); body != nil {
				text = body[1]
			}
			if !strings.Contains(examples, code(text)) {
				t.Errorf("%s: this code is not part of an example:\n%s", name, text)
			}
		}
	}
}

// markdownLink is a link to a file of the repository.
var markdownLink = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// Links between pages lead to files that exist.
func TestDocumentedLinks(t *testing.T) {
	for _, name := range append(pages(t), "ARCHITECTURE.md", "CONTRIBUTING.md") {
		text := quoted.ReplaceAllString(read(t, name), "")
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: a link leads to %s, which does not exist", name, m[1])
			}
		}
	}
}

// pages lists the README and the pages of docs.
func pages(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(names, "README.md")
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// code is text without indentation, empty lines and comments.
func code(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		if line = strings.TrimPrefix(strings.TrimSpace(line), "import "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
