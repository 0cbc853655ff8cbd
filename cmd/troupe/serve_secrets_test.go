package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsChange: tokens and certificates follow their files while the server runs, over
// every protocol. A file that is wrong changes nothing, and is logged.
func TestSecretsChange(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, text []byte) string { // at once, or else half of it could be read
		name = filepath.Join(dir, name)
		err := os.WriteFile(name+".new", text, 0o600)
		if err == nil {
			err = os.Rename(name+".new", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	file := func(name, of string) string {
		text, err := os.ReadFile(of)
		if err != nil {
			t.Fatal(err)
		}
		return put(name, text)
	}
	cert1, key1 := certificate(t)
	cert2, key2 := certificate(t)
	cert, key := file("cert", cert1), file("key", key1)
	write := func(text string) { put("token", []byte(text)) }
	token := put("token", []byte("first\n"))
	printed, logged := served(t, "../../examples/serve/digits", "--rest", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--secrets-watch", "1ms",
		"--tls-cert", cert, "--tls-key", key, "--client-ca", cert, "--token-file", token)
	for i, line := range printed {
		printed[i] = strings.Replace(line, "https://", "http://", 1)
	}
	all := addresses(t, printed, "digits")
	run := func(at, with, cert, key string) string {
		own := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(own, []byte(with), 0o600); err != nil {
			t.Fatal(err)
		}
		at = strings.NewReplacer("http://", "https://", "grpc://", "grpcs://").Replace(at)
		return command(t, "run", at, "--feed", "image=@../../examples/serve/two.png", "--ca", cert, "--tls-cert", cert, "--tls-key", key, "--token-file", own)
	}
	expect := func(token, cert, key string, right bool) {
		t.Helper()
		for _, at := range all {
			if got := run(at, token, cert, key); strings.HasPrefix(got, "output_0 =\n") != right {
				t.Errorf("%s with %s: %s", at, token, got)
			}
		}
	}
	reread := func(times int, what string) { // and not what was logged before
		for strings.Count(logged.String(), what) < times {
			run(all[0], "first", cert1, key1)
		}
	}
	const again, wrong = "were read again", "could not be read again"
	expect("first", cert1, key1, true)
	expect("second", cert1, key1, false)
	write("first\nsecond\n")
	reread(1, again)
	expect("first", cert1, key1, true)
	expect("second", cert1, key1, true)
	write("second\n")
	reread(2, again)
	expect("first", cert1, key1, false)
	expect("second", cert1, key1, true)
	write("\n")
	reread(1, wrong)
	expect("second", cert1, key1, true)
	write("second\n")
	reread(3, again)

	file("cert", cert2) // to which the key does not belong
	reread(2, wrong)
	expect("second", cert1, key1, true)
	file("key", key2)
	reread(4, again)
	expect("second", cert2, key2, true)
	expect("second", cert1, key1, false)
}
