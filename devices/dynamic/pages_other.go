//go:build !(linux && (amd64 || arm64))

package dynamic

// Pages returns memory.
func Pages(bytes int64) ([]byte, error) { return make([]byte, bytes), nil }

// Free does nothing.
func Free([]byte) {}
