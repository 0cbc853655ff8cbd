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

// Expand counts the bytes of an input that is larger than the message that brings it, until
// release is called. It fails with RESOURCE_EXHAUSTED if the session of the version could not
// hold it, or if Options.Expansion does not leave as many.
func (u Use) Expand(bytes int64) (release func(), err error) {
	if limit := u.v.saved.Session.Activity().MemoryLimit; limit >= 0 && bytes > limit {
		return nil, status.Errorf(status.ResourceExhausted, "the tensor takes %d bytes, and the memory limit of the model is %d", bytes, limit)
	}
	m := u.v.m
	for {
		held := m.expanded.Load()
		if bytes > m.options.Expansion-held {
			return nil, status.Errorf(status.ResourceExhausted,
				"the tensor takes %d bytes, more than its message has, and of the %d bytes for such tensors %d are taken: send all elements, or raise the limit", bytes, m.options.Expansion, held)
		}
		if m.expanded.CompareAndSwap(held, held+bytes) {
			return func() { m.expanded.Add(-bytes) }, nil
		}
	}
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
