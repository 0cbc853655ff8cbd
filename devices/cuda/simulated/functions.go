package simulated

import (
	"fmt"
	"sync"
)

// driverFunctions are the driver's, by the names that its library exports.
var driverFunctions = map[string]any{
	"cuInit":                       func(uint32) int32 { return success },
	"cuDeviceGetCount":             deviceCount,
	"cuDeviceGet":                  deviceGet,
	"cuDeviceGetName":              deviceName,
	"cuDeviceTotalMem_v2":          deviceMemory,
	"cuDeviceGetAttribute":         deviceAttribute,
	"cuDevicePrimaryCtxRetain":     retain,
	"cuDevicePrimaryCtxRelease_v2": release,
	"cuDevicePrimaryCtxReset_v2":   reset,
	"cuCtxSetCurrent":              setCurrent,
	"cuCtxSynchronize":             synchronize,
	"cuGetErrorName":               errorName,
	"cuMemAlloc_v2":                alloc,
	"cuMemFree_v2":                 free,
	"cuMemHostAlloc":               hostAlloc,
	"cuMemFreeHost":                hostFree,
	"cuMemcpyHtoDAsync_v2":         copyIn,
	"cuMemcpyDtoHAsync_v2":         copyOut,
	"cuMemcpyDtoDAsync_v2":         copyWithin,
	"cuMemcpyPeerAsync":            copyPeer,
	"cuStreamCreate":               streamCreate,
	"cuStreamDestroy_v2":           streamDestroy,
	"cuStreamWaitEvent":            streamWait,
	"cuEventCreate":                eventCreate,
	"cuEventDestroy_v2":            eventDestroy,
	"cuEventRecord":                eventRecord,
	"cuEventQuery":                 eventQuery,
	"cuModuleLoadData":             moduleLoad,
	"cuModuleGetFunction":          moduleFunction,
	"cuModuleUnload":               moduleUnload,
	"cuLaunchKernel":               launch,
}

func deviceCount(out uintptr) int32 {
	m := enter("cuDeviceGetCount")
	defer m.mu.Unlock()
	put32(out, uint32(len(m.devices)))
	return success
}

func deviceGet(out uintptr, number int32) int32 {
	m := enter("cuDeviceGet")
	defer m.mu.Unlock()
	d, r := m.deviceOf("cuDeviceGet", number)
	if r == success {
		put32(out, uint32(d.number))
	}
	return r
}

func deviceName(out uintptr, n, number int32) int32 {
	m := enter("cuDeviceGetName")
	defer m.mu.Unlock()
	d, r := m.deviceOf("cuDeviceGetName", number)
	if r == success {
		text := fmt.Sprintf("simulated GPU %d\x00", d.number)
		copy(raw(out, int(n)), text)
	}
	return r
}

func deviceMemory(out uintptr, number int32) int32 {
	m := enter("cuDeviceTotalMem")
	defer m.mu.Unlock()
	_, r := m.deviceOf("cuDeviceTotalMem", number)
	if r == success {
		put64(out, uint64(m.options.Memory))
	}
	return r
}

func deviceAttribute(out uintptr, what, number int32) int32 {
	m := enter("cuDeviceGetAttribute")
	defer m.mu.Unlock()
	_, r := m.deviceOf("cuDeviceGetAttribute", number)
	if r != success {
		return r
	}
	switch what {
	case 75:
		put32(out, uint32(m.options.Capability/10))
	case 76:
		put32(out, uint32(m.options.Capability%10))
	default:
		m.mistake("cuDeviceGetAttribute is asked for %d, which is not simulated", what)
		return invalidValue
	}
	return success
}

// texts are names of results in memory that stays where it is.
var texts = sync.OnceValue(func() map[int32][]byte {
	all := map[int32][]byte{}
	for r, name := range resultNames {
		all[r] = append([]byte(name), 0)
	}
	return all
})

func errorName(result int32, out uintptr) int32 {
	text, ok := texts()[result]
	if !ok {
		return invalidValue
	}
	put64(out, uint64(pointer(text)))
	return success
}
