//go:build !amd64

package vec

const isa = portable
