package api

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// A Driver has the functions of libcuda.
type Driver struct {
	Init, DeviceGetCount, DeviceGet, DeviceGetName, DeviceTotalMem, DeviceGetAttribute,
	PrimaryCtxRetain, PrimaryCtxRelease, PrimaryCtxReset, CtxPushCurrent, CtxPopCurrent, CtxSynchronize, GetErrorName, GetVersion,
	DeviceCanAccessPeer, CtxEnablePeerAccess, MemGetInfo,
	MemAlloc, MemFree, MemHostAlloc, MemFreeHost,
	MemcpyHtoDAsync, MemcpyDtoHAsync, MemcpyDtoDAsync, MemcpyPeerAsync,
	StreamCreate, StreamDestroy, StreamWaitEvent, EventCreate, EventDestroy, EventRecord, EventQuery,
	ModuleLoadData, ModuleGetFunction, ModuleUnload, LaunchKernel dynamic.Function
}

// Functions returns where the functions are, by the names that the library exports. The _v2
// names are today's interface; those without are an older one.
func (d *Driver) Functions() map[string]*dynamic.Function {
	return map[string]*dynamic.Function{
		"cuInit": &d.Init, "cuDeviceGetCount": &d.DeviceGetCount, "cuDeviceGet": &d.DeviceGet, "cuDeviceGetName": &d.DeviceGetName,
		"cuDeviceTotalMem_v2": &d.DeviceTotalMem, "cuDeviceGetAttribute": &d.DeviceGetAttribute,
		"cuDevicePrimaryCtxRetain": &d.PrimaryCtxRetain, "cuDevicePrimaryCtxRelease_v2": &d.PrimaryCtxRelease,
		"cuDevicePrimaryCtxReset_v2": &d.PrimaryCtxReset,
		"cuCtxPushCurrent_v2":        &d.CtxPushCurrent, "cuCtxPopCurrent_v2": &d.CtxPopCurrent, "cuDriverGetVersion": &d.GetVersion,
		"cuDeviceCanAccessPeer": &d.DeviceCanAccessPeer, "cuCtxEnablePeerAccess": &d.CtxEnablePeerAccess, "cuMemGetInfo_v2": &d.MemGetInfo,
		"cuCtxSynchronize": &d.CtxSynchronize, "cuGetErrorName": &d.GetErrorName,
		"cuMemAlloc_v2": &d.MemAlloc, "cuMemFree_v2": &d.MemFree, "cuMemHostAlloc": &d.MemHostAlloc, "cuMemFreeHost": &d.MemFreeHost,
		"cuMemcpyHtoDAsync_v2": &d.MemcpyHtoDAsync, "cuMemcpyDtoHAsync_v2": &d.MemcpyDtoHAsync, "cuMemcpyDtoDAsync_v2": &d.MemcpyDtoDAsync, "cuMemcpyPeerAsync": &d.MemcpyPeerAsync,
		"cuStreamCreate": &d.StreamCreate, "cuStreamDestroy_v2": &d.StreamDestroy, "cuStreamWaitEvent": &d.StreamWaitEvent,
		"cuEventCreate": &d.EventCreate, "cuEventDestroy_v2": &d.EventDestroy, "cuEventRecord": &d.EventRecord, "cuEventQuery": &d.EventQuery,
		"cuModuleLoadData": &d.ModuleLoadData, "cuModuleGetFunction": &d.ModuleGetFunction, "cuModuleUnload": &d.ModuleUnload,
		"cuLaunchKernel": &d.LaunchKernel,
	}
}

// DriverVariable is the environment variable that names another library of the driver.
const DriverVariable = "TROUPE_CUDA_LIBRARY"

var replaced atomic.Pointer[Libraries]

// Libraries take the place of the machine's.
type Libraries struct {
	Driver *Driver
	BLAS   *BLAS // nil: there is none
}

// Replace has Find and FindBLAS give other functions, until restore is called.
func Replace(l *Libraries) (restore func()) {
	old := replaced.Swap(l)
	return func() { replaced.Store(old) }
}

// Find returns the driver, which has been initialized. It fails with NOT_FOUND where there
// is none.
func Find() (*Driver, error) {
	if l := replaced.Load(); l != nil {
		return l.Driver, nil
	}
	return load()
}

var load = sync.OnceValues(func() (*Driver, error) {
	names := []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}
	if name := os.Getenv(DriverVariable); name != "" {
		names = []string{name}
	}
	lib, err := dynamic.Open(names...)
	if err != nil {
		return nil, status.Within(err, "CUDA")
	}
	d := new(Driver)
	if err := lib.Resolve(d.Functions()); err != nil {
		return nil, err
	}
	if err := d.Failure("cuInit", int32(d.Init.Call(0))); err != nil {
		return nil, status.Within(status.Errorf(status.NotFound, "%v", err), "CUDA")
	}
	return d, nil
})

// Numbers of the driver's interface.
const (
	ComputeMajor       = 75
	ComputeMinor       = 76
	Integrated         = 18 // the memory is the host's
	Portable           = 1  // host memory, for all contexts
	NonBlocking        = 1  // streams
	WithoutTiming      = 2  // events
	OutOfMemory        = 2
	NoBinaryForGPU     = 209
	UnsupportedPTX     = 222
	NotReady           = 600
	ContextIsDestroyed = 709
)

// Ends reports whether a result ends the context: nothing but closing it succeeds any more.
// What only one launch is refused with, such as 701, is not among them.
func Ends(result int32) bool {
	switch result {
	case 4, 46, 201, 214, 220, 226, 700, 702, ContextIsDestroyed, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999:
		return true
	}
	return false
}

// Failure returns a result as an error; nil for success. UNAVAILABLE is what ends a context.
func (d *Driver) Failure(call string, result int32) error {
	if result == 0 {
		return nil
	}
	code := status.Internal
	switch {
	case result == OutOfMemory:
		code = status.ResourceExhausted
	case result == NoBinaryForGPU, result == UnsupportedPTX:
		code = status.Unimplemented
	case Ends(result):
		code = status.Unavailable
	}
	var text uintptr
	name := fmt.Sprint(result)
	if r := int32(d.GetErrorName.Call(uintptr(result), uintptr(unsafe.Pointer(&text)))); r == 0 && text != 0 {
		name = dynamic.Text(text)
	}
	return status.Errorf(code, "CUDA: %s answers %s", call, name)
}
