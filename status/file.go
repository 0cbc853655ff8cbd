package status

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// FromFile returns an error of the file system its code, with a message in
// TensorFlow's form, "path; No such file or directory". An *[Error] stays as it
// is, and nil stays nil.
func FromFile(err error) error {
	if err == nil {
		return nil
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	e := &Error{Code: fileCode(err), Message: err.Error(), Cause: err}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		text := p.Err.Error()
		e.Message = p.Path + "; " + strings.ToUpper(text[:1]) + text[1:]
	}
	return e
}

func fileCode(err error) Code {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, fs.ErrExist):
		return AlreadyExists
	case errors.Is(err, fs.ErrPermission):
		return PermissionDenied
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENOTEMPTY):
		return FailedPrecondition
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return ResourceExhausted
	case errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG):
		return InvalidArgument
	}
	return Unknown
}
