//go:build accelerators

package main

// What --devices may ask for besides CPUs, by the build tag "accelerators": the drivers'
// libraries take the system's C library, which the command does without otherwise.
import (
	_ "github.com/troupe-go/troupe/devices/cuda"
	_ "github.com/troupe-go/troupe/devices/emulated"
	_ "github.com/troupe-go/troupe/devices/opencl"
	_ "github.com/troupe-go/troupe/ops/accelerated"
)
