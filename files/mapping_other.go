//go:build !((linux || darwin) && (amd64 || arm64))

package files

import (
	"errors"
	"os"
)

// CanMap reports whether files can be mapped.
const CanMap = false

type identity struct{}

func mapFile(*os.File) (identity, []byte, error) { return identity{}, nil, errors.ErrUnsupported }

func (identity) changed() bool { return false }

func (identity) unmap([]byte) {}

func dropPages([]byte) {}
