//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"os"
	"syscall"
)

// lockable says that files can be locked, and renamed while they are open.
const lockable = true

// lock locks an open file until it is closed. It returns false if another process,
// or another opening of the file, has it locked.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
