// Package accelerators compares the kernels of package devices/code, run by a real
// driver, with the CPU's kernels of the same operations. A driver's test opens a
// device and calls [Check].
package accelerators
