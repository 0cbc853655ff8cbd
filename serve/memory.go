package serve

import (
	"math"
	"runtime/debug"
	"runtime/metrics"

	"github.com/troupe-go/troupe/status"
)

// reserve counts the memory that a version will take, estimated by its files: variables
// take what their files do, and a graph several times its file, which matters little. It
// fails with RESOURCE_EXHAUSTED if there is not as much.
func (m *Manager) reserve(v *version, is stamp) error {
	need := is.bytes
	m.mu.Lock()
	defer m.mu.Unlock()
	if limit := m.options.Memory; limit > 0 {
		if m.memory+need > limit {
			return status.Errorf(status.ResourceExhausted, "loading takes about %d bytes, and %d of %d are taken", need, m.memory, limit)
		}
	} else if free := freeMemory(); need > free {
		return status.Errorf(status.ResourceExhausted, "loading takes about %d bytes, and the machine has %d left", need, free)
	}
	v.memory = need
	m.memory += need
	return nil
}

// freeMemory returns how many bytes the process may still take: of the machine, of its
// container, and of GOMEMLIMIT.
func freeMemory() int64 {
	free := availableMemory()
	if limit := debug.SetMemoryLimit(-1); limit > 0 && limit < math.MaxInt64 {
		free = min(free, limit-takenMemory())
	}
	return free
}

// takenMemory returns the bytes that count towards GOMEMLIMIT.
func takenMemory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64() - s[2].Value.Uint64())
}
