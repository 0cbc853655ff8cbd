// Package cuda is a driver for NVIDIA GPUs, through the CUDA driver library and NVRTC,
// without cgo. A program that wants them imports it; what it links then needs the
// system's C library.
//
// A queue is a stream that does not wait for the default one, an event one without
// timing, host memory is page-locked. Every call is made on a thread on which the
// device's primary context is current. Completions are polled, by one goroutine of
// the device's that sleeps when none is due.
//
// Kernels are compiled by NVRTC for the device's architecture when they are first
// loaded, and what was compiled is kept in the user's cache folder, under the digest
// of all that decided it. For a device that is newer than NVRTC they are compiled to PTX,
// which the driver compiles on.
//
// Products of matrices are cuBLAS's where it is there, with a handle and a workspace for
// each queue: floats are not rounded to TF32, half and bfloat16 are summed up in float.
//
// Where there is no driver, no NVRTC or no device, Devices says so with NOT_FOUND.
//
// The package was written on machines without a GPU. Its tests call a driver in Go,
// which keeps CUDA's rules and executes what NVRTC compiles: package
// devices/cuda/simulated. How fast it is, and what a GPU's driver does otherwise,
// is not known.
package cuda
