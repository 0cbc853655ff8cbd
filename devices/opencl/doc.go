// Package opencl is a driver for OpenCL 1.2 and later, through the installed library,
// without cgo: GPUs of several vendors and, with PoCL, the CPU. A program that wants
// them imports it; what it links then needs the system's C library.
//
// A queue is an in-order command queue, an event a marker, and a wait a barrier.
// Completions come by callback and are passed on by one goroutine of the device's.
// Kernels are compiled by the driver when they are first loaded; drivers keep what
// they have compiled.
//
// Where there is no library, no platform or no device, Devices says so with
// NOT_FOUND.
package opencl
