package opencl

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// api has the functions of the library.
var api struct {
	getPlatformIDs, getDeviceIDs, getDeviceInfo, createContext, releaseContext,
	createCommandQueue, releaseCommandQueue, createBuffer, releaseMemObject,
	createProgramWithSource, buildProgram, getProgramBuildInfo, releaseProgram,
	createKernel, setKernelArg, releaseKernel,
	enqueueWriteBuffer, enqueueReadBuffer, enqueueCopyBuffer, enqueueNDRangeKernel,
	enqueueMarkerWithWaitList, enqueueBarrierWithWaitList, setEventCallback,
	releaseEvent, flush, finish dynamic.Function
}

// LibraryVariable is the environment variable that names another library.
const LibraryVariable = "TROUPE_OPENCL_LIBRARY"

// load loads the library, once.
var load = sync.OnceValue(func() error {
	names := []string{"libOpenCL.so.1", "libOpenCL.so"}
	if name := os.Getenv(LibraryVariable); name != "" {
		names = []string{name}
	}
	lib, err := dynamic.Open(names...)
	if err != nil {
		return status.Within(err, "OpenCL")
	}
	a := &api
	return lib.Resolve(map[string]*dynamic.Function{
		"clGetPlatformIDs": &a.getPlatformIDs, "clGetDeviceIDs": &a.getDeviceIDs, "clGetDeviceInfo": &a.getDeviceInfo,
		"clCreateContext": &a.createContext, "clReleaseContext": &a.releaseContext,
		"clCreateCommandQueue": &a.createCommandQueue, "clReleaseCommandQueue": &a.releaseCommandQueue,
		"clCreateBuffer": &a.createBuffer, "clReleaseMemObject": &a.releaseMemObject,
		"clCreateProgramWithSource": &a.createProgramWithSource, "clBuildProgram": &a.buildProgram,
		"clGetProgramBuildInfo": &a.getProgramBuildInfo, "clReleaseProgram": &a.releaseProgram,
		"clCreateKernel": &a.createKernel, "clSetKernelArg": &a.setKernelArg, "clReleaseKernel": &a.releaseKernel,
		"clEnqueueWriteBuffer": &a.enqueueWriteBuffer, "clEnqueueReadBuffer": &a.enqueueReadBuffer,
		"clEnqueueCopyBuffer": &a.enqueueCopyBuffer, "clEnqueueNDRangeKernel": &a.enqueueNDRangeKernel,
		"clEnqueueMarkerWithWaitList": &a.enqueueMarkerWithWaitList, "clEnqueueBarrierWithWaitList": &a.enqueueBarrierWithWaitList,
		"clSetEventCallback": &a.setEventCallback, "clReleaseEvent": &a.releaseEvent, "clFlush": &a.flush, "clFinish": &a.finish,
	})
})

// Numbers of the interface, from its header.
const (
	allTypes          = 0xFFFFFFFF
	globalMemSize     = 0x101F
	deviceName        = 0x102B
	deviceVersion     = 0x102F
	devicePlatform    = 0x1031
	maxAllocSize      = 0x1010
	hostUnifiedMemory = 0x1035
	maxGroupSize      = 0x1004
	buildLog          = 0x1183
	readWrite         = 1
	complete          = 0
	deviceNotFound    = -1
	platformsNotFound = -1001
)

// names of results that programs meet.
var names = map[int32]string{
	-1: "DEVICE_NOT_FOUND", -2: "DEVICE_NOT_AVAILABLE", -3: "COMPILER_NOT_AVAILABLE", -4: "MEM_OBJECT_ALLOCATION_FAILURE",
	-5: "OUT_OF_RESOURCES", -6: "OUT_OF_HOST_MEMORY", -11: "BUILD_PROGRAM_FAILURE", -14: "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
	-30: "INVALID_VALUE", -34: "INVALID_CONTEXT", -36: "INVALID_COMMAND_QUEUE", -38: "INVALID_MEM_OBJECT", -45: "INVALID_PROGRAM_EXECUTABLE",
	-46: "INVALID_KERNEL_NAME", -48: "INVALID_KERNEL", -49: "INVALID_ARG_INDEX", -50: "INVALID_ARG_VALUE", -51: "INVALID_ARG_SIZE",
	-52: "INVALID_KERNEL_ARGS", -54: "INVALID_WORK_GROUP_SIZE", -55: "INVALID_WORK_ITEM_SIZE", -57: "INVALID_EVENT_WAIT_LIST",
	-58: "INVALID_EVENT", -61: "INVALID_BUFFER_SIZE", -63: "INVALID_GLOBAL_WORK_SIZE", -1001: "PLATFORM_NOT_FOUND",
}

// failure returns a result as an error; nil for success.
func failure(call string, result int32) error {
	if result >= 0 {
		return nil
	}
	code := status.Internal
	switch result {
	case -2:
		code = status.Unavailable
	case -4, -5, -6, -61:
		code = status.ResourceExhausted
	}
	name := names[result]
	if name == "" {
		name = fmt.Sprint(result)
	}
	return status.Errorf(code, "OpenCL: %s answers %s", call, name)
}

// identities lists the devices of all platforms.
func identities() ([]uintptr, error) {
	if err := load(); err != nil {
		return nil, err
	}
	var count uint32
	platforms := make([]uintptr, 64)
	r := int32(api.getPlatformIDs.Call(uintptr(len(platforms)), uintptr(unsafe.Pointer(&platforms[0])), uintptr(unsafe.Pointer(&count))))
	if r == platformsNotFound || r == 0 && count == 0 {
		return nil, status.Errorf(status.NotFound, "OpenCL: no platform is installed; install a driver, such as Debian's package pocl-opencl-icd")
	}
	if err := failure("clGetPlatformIDs", r); err != nil {
		return nil, err
	}
	var all []uintptr
	for _, p := range platforms[:min(int(count), len(platforms))] {
		var n uint32
		ids := make([]uintptr, 64)
		r := int32(api.getDeviceIDs.Call(p, allTypes, uintptr(len(ids)), uintptr(unsafe.Pointer(&ids[0])), uintptr(unsafe.Pointer(&n))))
		if r == deviceNotFound {
			continue
		}
		if err := failure("clGetDeviceIDs", r); err != nil {
			return nil, err
		}
		all = append(all, ids[:min(int(n), len(ids))]...)
	}
	if len(all) == 0 {
		return nil, status.Errorf(status.NotFound, "OpenCL: no platform has a device")
	}
	return all, nil
}

// text returns a device's information as a string.
func text(id uintptr, what uintptr) string {
	buffer := make([]byte, 1024)
	var n uintptr
	if r := int32(api.getDeviceInfo.Call(id, what, uintptr(len(buffer)), uintptr(unsafe.Pointer(&buffer[0])), uintptr(unsafe.Pointer(&n)))); r != 0 || n == 0 || n > uintptr(len(buffer)) {
		return ""
	}
	return string(buffer[:n-1])
}

// platform is whose a device is.
func platform(id uintptr) uintptr { return uintptr(amount(id, devicePlatform)) }

// amount returns a device's information as a number.
func amount(id uintptr, what uintptr) (n int64) {
	api.getDeviceInfo.Call(id, what, 8, uintptr(unsafe.Pointer(&n)), 0)
	return n
}
