//go:build !((linux || darwin) && (amd64 || arm64))

package files

import (
	"errors"
	"os"
)

// Maps reports whether files can be mapped.
const Maps = false

func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func dropPages([]byte) {}
