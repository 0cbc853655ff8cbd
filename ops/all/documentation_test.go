package all

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/troupe-go/troupe/registry"
)

// Every registered definition parses, and its documentation begins with one
// sentence, speaks of no argument that is not there, and says of every attribute
// that a program sets what it is.
func TestDefinitionsAreDocumented(t *testing.T) {
	for _, d := range registry.Global.Defs(true) {
		if s := d.Summary; !isSentence(s) || !begins(s) || strings.Contains(s, ". ") {
			t.Errorf("%s: %q is not one sentence", d.Name, s)
		}
		for line := range strings.Lines(d.Description) {
			if name, _, ok := strings.Cut(line, ": "); ok && identifier.MatchString(name) {
				t.Errorf("%s: %q describes nothing that the operation has", d.Name, line)
			}
		}
		for name, text := range descriptions(d) {
			if !isSentence(text) || !begins(text) && !names(d)[strings.Fields(text)[0]] {
				t.Errorf("%s: %s: %q is no sentence", d.Name, name, text)
			}
			if m := elsewhere.FindStringSubmatch(text); m != nil {
				if of, err := registry.Global.Lookup(m[1]); err != nil || !names(of)[name] {
					t.Errorf("%s: %s: %q: it has nothing of that name", d.Name, name, text)
				}
			}
		}
		for _, name := range mentions(d) {
			t.Errorf("%s: the documentation mentions %s, which is nothing that the operation has", d.Name, name)
		}
		for _, name := range undescribed(d) {
			t.Errorf("%s: attribute %s is not described", d.Name, name)
		}
	}
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	elsewhere  = regexp.MustCompile(`^As (\w+) ha[sd] it\.$`)
	snakeCase  = regexp.MustCompile(`\b[a-z]\w*_\w*\b`)
	operation  = regexp.MustCompile(`\b[A-Z]\w+\b`)
)

func isSentence(s string) bool { return strings.HasSuffix(s, ".") }

// begins reports whether s does not begin with a small letter.
func begins(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return !unicode.IsLower(r)
}

// names returns the names of what an operation has.
func names(d *registry.OpDef) map[string]bool {
	has := map[string]bool{}
	for _, args := range [][]registry.ArgDef{d.Inputs, d.Outputs} {
		for _, a := range args {
			has[a.Name] = true
		}
	}
	for _, a := range d.Attrs {
		has[a.Name] = true
	}
	return has
}

// descriptions returns the descriptions that there are, by name.
func descriptions(d *registry.OpDef) map[string]string {
	texts := map[string]string{}
	for _, args := range [][]registry.ArgDef{d.Inputs, d.Outputs} {
		for _, a := range args {
			if a.Description != "" {
				texts[a.Name] = a.Description
			}
		}
	}
	for _, a := range d.Attrs {
		if a.Description != "" {
			texts[a.Name] = a.Description
		}
	}
	return texts
}

// mentions returns the names with an underscore in an operation's documentation that
// neither it has nor an operation mentioned there.
func mentions(d *registry.OpDef) []string {
	text := d.Summary + "\n" + d.Description
	for _, s := range descriptions(d) {
		text += "\n" + s
	}
	known := names(d)
	for _, name := range operation.FindAllString(text, -1) {
		if other, err := registry.Global.Lookup(name); err == nil {
			for n := range names(other) {
				known[n] = true
			}
		}
	}
	var unknown []string
	for _, name := range snakeCase.FindAllString(text, -1) {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// undescribed returns the attributes without a description that do not follow from
// the inputs.
func undescribed(d *registry.OpDef) []string {
	inferred := map[string]bool{}
	for _, in := range d.Inputs {
		inferred[in.TypeAttr], inferred[in.NumberAttr], inferred[in.TypeListAttr] = true, true, true
	}
	var without []string
	for _, a := range d.Attrs {
		if a.Description == "" && !inferred[a.Name] {
			without = append(without, a.Name)
		}
	}
	return without
}
