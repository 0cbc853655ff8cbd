package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// distance returns the edit distance by the rule that defines it.
func distance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	d := min(distance(a[1:], b), distance(a, b[1:])) + 1
	if a[0] == b[0] {
		return min(d, distance(a[1:], b[1:]))
	}
	return min(d, distance(a[1:], b[1:])+1)
}

func TestService(t *testing.T) {
	s, err := newService()
	if err != nil {
		t.Fatal(err)
	}
	defer s.session.Close()
	server := httptest.NewServer(s)
	defer server.Close()
	words := []string{"kitten", "sitting", "", "küche", "kuchen", "a"}
	var wg sync.WaitGroup
	for _, a := range words {
		for _, b := range words {
			wg.Go(func() {
				r, err := http.Get(server.URL + "/?" + url.Values{"a": {a}, "b": {b}}.Encode())
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Body.Close()
				text, _ := io.ReadAll(r.Body)
				if want := strconv.Itoa(distance([]rune(a), []rune(b))); strings.TrimSpace(string(text)) != want {
					t.Errorf("from %q to %q: %s, want %s", a, b, text, want)
				}
			})
		}
	}
	wg.Wait()
	r, err := http.Get(server.URL + "/?a=" + strings.Repeat("a", longest+1))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a text that is too long: %s", r.Status)
	}
}
