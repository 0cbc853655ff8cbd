//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// onQuit catches SIGQUIT until forget is called.
func onQuit() (asked <-chan os.Signal, forget func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGQUIT)
	return c, func() { signal.Stop(c) }
}
