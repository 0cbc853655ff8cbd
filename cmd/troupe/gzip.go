package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

// maxModel is the most bytes that a compressed model may come to: no serialized
// message is larger.
const maxModel = 1 << 31

// readGraph reads a file, or else the compressed one whose name ends in ".gz".
func readGraph(name string) ([]byte, error) {
	b, err := readFile(name)
	if os.IsNotExist(err) {
		if c, gzErr := readFile(name + ".gz"); gzErr == nil {
			return inflate(c)
		}
	}
	return b, err
}

// inflate returns what was compressed, and b itself if it was not.
func inflate(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	b, err = io.ReadAll(underCeiling{io.LimitReader(r, maxModel+1)})
	if err == nil && len(b) > maxModel {
		err = fmt.Errorf("decompresses to more than %d bytes", int64(maxModel))
	}
	return b, err
}
