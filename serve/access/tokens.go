package access

import (
	"crypto/subtle"
	"sync/atomic"
)

// Tokens are bearer tokens, each of which lets requests through. They may be replaced while
// requests come: give out a new one, set both, and set the new one alone when every client
// has it. The zero value has none, and lets nobody through.
type Tokens struct{ bearers atomic.Pointer[[]string] }

// Set replaces the tokens.
func (t *Tokens) Set(tokens ...string) {
	bearers := make([]string, len(tokens))
	for i, token := range tokens {
		bearers[i] = "Bearer " + token
	}
	t.bearers.Store(&bearers)
}

// Known reports whether an Authorization header has one of the tokens.
func (t *Tokens) Known(authorization string) (ok bool) {
	if list := t.bearers.Load(); list != nil {
		for _, bearer := range *list {
			ok = subtle.ConstantTimeCompare([]byte(authorization), []byte(bearer)) == 1 || ok
		}
	}
	return ok
}
