//go:build !(linux && (amd64 || arm64))

package dynamic

import (
	"runtime"

	"github.com/troupe-go/troupe/status"
)

// A Library is a shared library that stays loaded.
type Library struct{ Name string }

// Open fails: libraries are loaded on Linux only.
func Open(...string) (*Library, error) {
	return nil, status.Errorf(status.Unimplemented, "drivers of accelerators are not loaded on %s/%s", runtime.GOOS, runtime.GOARCH)
}

// Resolve does nothing.
func (*Library) Resolve(map[string]*Function) error { return nil }

// A Function is a function of a library.
type Function uintptr

// Call returns 0.
func (Function) Call(...uintptr) uintptr { return 0 }

// Callback returns 0.
func Callback(any) uintptr { return 0 }

// Text returns nothing.
func Text(uintptr) string { return "" }

// Bytes returns nothing.
func Bytes(uintptr, int64) []byte { return nil }

// Thread returns 0.
func Thread() int { return 0 }
