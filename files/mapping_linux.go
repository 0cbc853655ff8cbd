//go:build amd64 || arm64

package files

import "golang.org/x/sys/unix"

func modified(s *unix.Stat_t) unix.Timespec { return s.Mtim }
