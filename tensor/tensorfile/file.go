// Package tensorfile reads and writes files that hold one tensor.
package tensorfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/npy"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// Read reads a tensor from a file: a NumPy array if the name ends in
// ".npy", else a serialized TensorProto, customarily ".tensor" or ".pb". limit
// bounds the bytes of the elements, as in [tensorproto.Unmarshal], and the size of a
// message.
func Read(name string, limit int64) (*tensor.Tensor, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(err)
	}
	defer f.Close()
	return ReadFrom(f, name, limit)
}

// ReadFrom is [Read] of the content of a file of that name.
func ReadFrom(r io.Reader, name string, limit int64) (*tensor.Tensor, error) {
	t, err := readContent(r, filepath.Ext(name), limit)
	if path := (*fs.PathError)(nil); errors.As(err, &path) { // which says the name
		return nil, err
	}
	if err != nil {
		return nil, status.Errorf(status.CodeOf(err), "%s: %w", name, err)
	}
	return t, nil
}

func readContent(r io.Reader, ext string, limit int64) (*tensor.Tensor, error) {
	if ext == ".npy" {
		return npy.Read(bufio.NewReader(r), limit)
	}
	// A negative int8 may be a varint of ten bytes with a tag of its own.
	bound := int64(tensor.DefaultLimit)
	if limit > 0 && limit < bound/11 {
		bound = limit*11 + 64<<10
	}
	b, err := io.ReadAll(io.LimitReader(r, bound+1))
	if err != nil {
		return nil, fileError(err)
	}
	if int64(len(b)) > bound {
		return nil, status.Errorf(status.ResourceExhausted, "the file is larger than the %d bytes that its tensor may take", bound)
	}
	return tensorproto.Unmarshal(b, limit)
}

// Write writes t to a file in the form that [Read] reads. What the file held
// before is replaced as a whole, or, after an error, unchanged.
func Write(name string, t *tensor.Tensor) error {
	if filepath.Ext(name) != ".npy" {
		b, err := tensorproto.Marshal(t)
		if err != nil {
			return status.Errorf(status.CodeOf(err), "%s: %w", name, err)
		}
		return files.WriteFile(name, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	}
	return files.WriteFile(name, func(w io.Writer) error {
		if err := npy.Write(w, t); err != nil {
			return status.Errorf(status.CodeOf(err), "%s: %w", name, err)
		}
		return nil
	})
}

// fileError returns an error of the file system its code; nil stays nil.
func fileError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return status.Errorf(status.NotFound, "%w", err)
	case errors.Is(err, fs.ErrPermission):
		return status.Errorf(status.PermissionDenied, "%w", err)
	case errors.Is(err, syscall.EISDIR):
		return status.Errorf(status.FailedPrecondition, "%w", err)
	}
	return status.Errorf(status.Unknown, "%w", err)
}
