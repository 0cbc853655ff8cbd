//go:build !unix

package main

import "os"

// onQuit never asks: there is no SIGQUIT here.
func onQuit() (asked <-chan os.Signal, forget func()) { return nil, func() {} }
