//go:build !invariants

package rewrite

// check, if it is not nil, is asked after every pass.
var check func(w *work, pass string)
