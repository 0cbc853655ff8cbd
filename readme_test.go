package troupe_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	goBlock  = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	mainBody = regexp.MustCompile(`(?s)func main\(\) \{\n(.*)\n\}`)
)

// The README's Go code is that of examples, which are tested.
func TestReadme(t *testing.T) {
	var examples string
	for _, name := range []string{"example_test.go", "op/example_test.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples += code(string(text))
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllStringSubmatch(string(readme), -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no Go code")
	}
	for _, block := range blocks {
		text := block[1]
		if body := mainBody.FindStringSubmatch(text); body != nil {
			text = body[1]
		}
		if !strings.Contains(examples, code(text)) {
			t.Errorf("this is not the code of an example:\n%s", text)
		}
	}
}

// code is text without indentation, empty lines and comments.
func code(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
