//go:build unix

package main

import "syscall"

// connections returns how many connections a server may have by default: what the process may
// open less what it needs for models, logs and other servers; 0: any number.
func connections() int {
	var limit syscall.Rlimit
	const most = 1 << 24
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > most {
		return 0
	}
	n := int(limit.Cur)
	return max(1, n-max(64, n/16))
}
