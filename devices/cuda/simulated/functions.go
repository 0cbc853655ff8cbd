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
	"cuCtxPushCurrent_v2":          pushCurrent,
	"cuCtxPopCurrent_v2":           popCurrent,
	"cuDriverGetVersion":           driverVersion,
	"cuDeviceCanAccessPeer":        canAccessPeer,
	"cuCtxEnablePeerAccess":        enablePeerAccess,
	"cuMemGetInfo_v2":              memoryInfo,
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
	case 18: // integrated
		put32(out, 0)
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

func driverVersion(out uintptr) int32 {
	m := enter("cuDriverGetVersion")
	defer m.mu.Unlock()
	put32(out, uint32(m.options.Driver))
	return success
}

func memoryInfo(free, total uintptr) int32 {
	m, c, r := inContext("cuMemGetInfo")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	put64(free, uint64(m.options.Memory-m.options.Taken-c.device.used))
	put64(total, uint64(m.options.Memory))
	return success
}

func canAccessPeer(out uintptr, device, peer int32) int32 {
	m := enter("cuDeviceCanAccessPeer")
	defer m.mu.Unlock()
	_, r := m.deviceOf("cuDeviceCanAccessPeer", device)
	if r == success {
		_, r = m.deviceOf("cuDeviceCanAccessPeer", peer)
	}
	if r == success {
		can := uint32(1)
		if m.options.NoPeerAccess || device == peer {
			can = 0
		}
		put32(out, can)
	}
	return r
}

func enablePeerAccess(h uintptr, flags uint32) int32 {
	const name = "cuCtxEnablePeerAccess"
	m, c, r := inContext(name)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	peer, ok := handle[*context](m, name, h)
	switch {
	case !ok || peer.over || peer == c:
		return invalidContext
	case flags != 0:
		return invalidValue
	case m.options.NoPeerAccess:
		m.mistake("%s is called for devices that have no way to each other", name)
		return peerUnsupported
	case c.peers[peer]:
		return peerEnabled
	}
	c.peers[peer] = true
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
