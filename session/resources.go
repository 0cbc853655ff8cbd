package session

import (
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// Resources are variables, queues, tables and other state by container and name, which
// sessions share by [SessionOptions].Resources. Reset clears containers, Clear all of
// them. They are safe for concurrent use.
type Resources = resource.Manager

// NewResources creates empty resources, whose tensors may take memoryLimit bytes in all;
// 0 is three quarters of the machine's memory, negative is no limit. No session may use
// them when they are cleared for the last time.
func NewResources(memoryLimit int64) *Resources {
	if memoryLimit == 0 {
		memoryLimit = defaultMemoryLimit()
	}
	r := resource.NewManager()
	r.Budget = tensor.NewBudget(memoryLimit)
	return r
}

// Resources are the variables, queues and tables that the session uses: its own, or
// those of [SessionOptions].
func (s *Session) Resources() *Resources { return s.resources }
