package main

import (
	"debug/elf"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReleaseCode: pages of the program that nothing uses any more are not resident.
func TestReleaseCode(t *testing.T) {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Type != elf.ET_EXEC {
		t.Skip("the program may lie anywhere")
	}
	before := residentFiles(t)
	releaseCode()
	if after := residentFiles(t); after > before*3/4 {
		t.Errorf("%d kB of files are resident, %d before", after, before)
	}
}

// residentFiles returns how many kB of mapped files are resident.
func residentFiles(t *testing.T) (kb int) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "RssFile: %d kB", &kb); n == 1 {
			return kb
		}
	}
	t.Skip("the kernel does not say what is resident")
	return 0
}
