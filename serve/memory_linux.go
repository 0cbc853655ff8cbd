package serve

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// availableMemory returns what the machine has left for new processes, or what the
// control group of a container has if that is less. Pages of files count as free.
func availableMemory() int64 {
	free := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		free = min(free, field(text, "MemAvailable:")<<10)
	}
	for _, group := range []struct{ limit, used, stat, cache string }{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"},
	} {
		limit, ok := number(group.limit)
		used, ok2 := number(group.used)
		if !ok || !ok2 {
			continue
		}
		text, _ := os.ReadFile(group.stat)
		if cache := field(text, group.cache); cache < math.MaxInt64>>10 {
			used -= cache
		}
		free = min(free, limit-used)
	}
	return free
}

func number(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n > 0
}

// field returns the number behind a word at the start of a line; a great one if there is
// none.
func field(text []byte, word string) int64 {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 1 && f[0] == word {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return n
			}
		}
	}
	return math.MaxInt64 >> 10
}
