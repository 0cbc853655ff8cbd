package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWeb(t *testing.T) {
	const loop, digits = "../../benchmarks/graphs/while_counter_p10.pb", "../../examples/serve/digits"
	for _, c := range []struct {
		model, flags string
		want, lack   string // of the page
	}{
		{digits, "", `"signatures":[{"key":"serving_default"`, `"kind":"run"`},
		{digits, "--signature serve", `"kind":"run"`, ""},
		{"", "", `"kind":"graph"`, `"kind":"run"`},
		{"", "--feed limit --fetch while/Exit", `"kind":"run"`, ""},
		{"", "--feed limit --fetch while/Exit", `1 loop, 1 of them units`, ""},
	} {
		file := filepath.Join(t.TempDir(), "page.html")
		if out := command(t, append([]string{"show", cmp.Or(c.model, loop), "--web", file}, strings.Fields(c.flags)...)...); out != "" {
			t.Fatal(out)
		}
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(page); !strings.Contains(text, c.want) || c.lack != "" && strings.Contains(text, c.lack) {
			t.Errorf("show --web %s: the page lacks %s or has %s", c.flags, c.want, c.lack)
		}
	}
	for _, c := range [][2]string{
		{"--feed limit", "--feed and --rewrite need --fetch, --target or --signature"},
		{"--signature f", "--signature f needs a SavedModel"},
		{"--signature f --fetch while/Exit", "it excludes --feed, --fetch and --target"},
		{"--fetch nothing", "--fetch nothing"},
		{"--fetch while/Exit --devices 2", "--web excludes"},
		{"--fetch while/Exit --rewrite folding", "--rewrite folding"},
	} {
		file := filepath.Join(t.TempDir(), "page.html")
		out := command(t, append([]string{"show", loop, "--web", file}, strings.Fields(c[0])...)...)
		if !strings.Contains(out, c[1]) {
			t.Errorf("show --web %s prints\n%s\nwant %q", c[0], out, c[1])
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("show --web %s fails and leaves a file", c[0])
		}
	}
}
