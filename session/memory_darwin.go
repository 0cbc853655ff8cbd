package session

import "golang.org/x/sys/unix"

// physicalMemory returns the machine's memory, 0 if it is not known.
func physicalMemory() int64 {
	total, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(total)
}
