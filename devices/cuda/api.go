package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// driver has the functions of libcuda.
var driver struct {
	init, deviceGetCount, deviceGet, deviceGetName, deviceTotalMem, deviceGetAttribute,
	primaryCtxRetain, primaryCtxRelease, ctxSetCurrent, ctxSynchronize, getErrorName,
	memAlloc, memFree, memHostAlloc, memFreeHost,
	memcpyHtoDAsync, memcpyDtoHAsync, memcpyDtoDAsync,
	streamCreate, streamDestroy, streamWaitEvent, eventCreate, eventDestroy, eventRecord, eventQuery,
	moduleLoadData, moduleGetFunction, moduleUnload, launchKernel dynamic.Function
}

// LibraryVariable and CompilerVariable are the environment variables that name other
// libraries of the driver and of NVRTC.
const (
	LibraryVariable  = "TROUPE_CUDA_LIBRARY"
	CompilerVariable = "TROUPE_NVRTC_LIBRARY"
)

// load loads the driver's library, once. The _v2 names are today's interface; those
// without are an older one.
var load = sync.OnceValue(func() error {
	lib, err := open()
	if err != nil {
		return status.Within(err, "CUDA")
	}
	d := &driver
	if err := lib.Resolve(map[string]*dynamic.Function{
		"cuInit": &d.init, "cuDeviceGetCount": &d.deviceGetCount, "cuDeviceGet": &d.deviceGet, "cuDeviceGetName": &d.deviceGetName,
		"cuDeviceTotalMem_v2": &d.deviceTotalMem, "cuDeviceGetAttribute": &d.deviceGetAttribute,
		"cuDevicePrimaryCtxRetain": &d.primaryCtxRetain, "cuDevicePrimaryCtxRelease_v2": &d.primaryCtxRelease,
		"cuCtxSetCurrent": &d.ctxSetCurrent, "cuCtxSynchronize": &d.ctxSynchronize, "cuGetErrorName": &d.getErrorName,
		"cuMemAlloc_v2": &d.memAlloc, "cuMemFree_v2": &d.memFree, "cuMemHostAlloc": &d.memHostAlloc, "cuMemFreeHost": &d.memFreeHost,
		"cuMemcpyHtoDAsync_v2": &d.memcpyHtoDAsync, "cuMemcpyDtoHAsync_v2": &d.memcpyDtoHAsync, "cuMemcpyDtoDAsync_v2": &d.memcpyDtoDAsync,
		"cuStreamCreate": &d.streamCreate, "cuStreamDestroy_v2": &d.streamDestroy, "cuStreamWaitEvent": &d.streamWaitEvent,
		"cuEventCreate": &d.eventCreate, "cuEventDestroy_v2": &d.eventDestroy, "cuEventRecord": &d.eventRecord, "cuEventQuery": &d.eventQuery,
		"cuModuleLoadData": &d.moduleLoadData, "cuModuleGetFunction": &d.moduleGetFunction, "cuModuleUnload": &d.moduleUnload,
		"cuLaunchKernel": &d.launchKernel,
	}); err != nil {
		return err
	}
	if err := failure("cuInit", int32(d.init.Call(0))); err != nil {
		return status.Within(status.Errorf(status.NotFound, "%v", err), "CUDA")
	}
	return nil
})

// open loads the driver's library.
func open() (*dynamic.Library, error) {
	names := []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}
	if name := os.Getenv(LibraryVariable); name != "" {
		names = []string{name}
	}
	return dynamic.Open(names...)
}

// Numbers of the driver's interface.
const (
	computeMajor    = 75
	computeMinor    = 76
	portable        = 1 // host memory, for all contexts
	nonBlocking     = 1 // streams
	withoutTiming   = 2 // events
	outOfMemory     = 2
	invalidHandle   = 400
	notReady        = 600
	firstSticky     = 700 // an illegal address; what follows ends the context
	lastSticky      = 719
	unavailable     = 46
	unknown         = 999
	nameBufferBytes = 256
)

// failure is a result as an error; nil for success.
func failure(call string, result int32) error {
	if result == 0 {
		return nil
	}
	code := status.Internal
	switch {
	case result == outOfMemory:
		code = status.ResourceExhausted
	case result >= firstSticky && result <= lastSticky, result == unavailable, result == unknown:
		code = status.Unavailable
	}
	var text uintptr
	name := fmt.Sprint(result)
	if r := int32(driver.getErrorName.Call(uintptr(result), uintptr(unsafe.Pointer(&text)))); r == 0 && text != 0 {
		name = dynamic.Text(text)
	}
	return status.Errorf(code, "CUDA: %s answers %s", call, name)
}

// compiler has the functions of NVRTC.
var compiler struct {
	version, createProgram, compileProgram, destroyProgram, getLogSize, getLog, getCubinSize, getCubin dynamic.Function
}

// loadCompiler loads NVRTC, once, and before it the library that it looks for itself.
var loadCompiler = sync.OnceValue(func() error {
	names := []string{"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}
	if name := os.Getenv(CompilerVariable); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if filepath.IsAbs(name) {
			builtins, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "libnvrtc-builtins.so*"))
			for _, b := range builtins {
				dynamic.Open(b) // if it fails, so does the compilation, and says why
			}
		}
	}
	lib, err := dynamic.Open(names...)
	if err != nil {
		return status.Within(err, "CUDA's compiler, NVRTC")
	}
	c := &compiler
	return lib.Resolve(map[string]*dynamic.Function{
		"nvrtcVersion": &c.version, "nvrtcCreateProgram": &c.createProgram, "nvrtcCompileProgram": &c.compileProgram,
		"nvrtcDestroyProgram": &c.destroyProgram, "nvrtcGetProgramLogSize": &c.getLogSize, "nvrtcGetProgramLog": &c.getLog,
		"nvrtcGetCUBINSize": &c.getCubinSize, "nvrtcGetCUBIN": &c.getCubin,
	})
})
