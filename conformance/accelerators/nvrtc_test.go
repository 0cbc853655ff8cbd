package accelerators

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Architectures that code is compiled for, code whose groups have one size for each in turn
// or, with -every, for all, other code for the first; and what each group of
// threads may take of a processor.
var architectures = []string{"sm_80", "sm_90"}

const (
	mostShared    = 48 << 10 // bytes, without asking for more
	mostRegisters = 65536 / 256
	mostSpilled   = 16  // bytes of a thread, of functions whose groups have one size
	mostLocal     = 128 // of others, which may have arrays and tables of sines
)

// TestNVRTC compiles code that the trials and BenchmarkKernels use, which takes no GPU, and looks at what
// the compiler made of it: threads must keep what they compute with in registers.
func TestNVRTC(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles dozens of kernels")
	}
	all, err := Codes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cuda.Compile(all[0].Source, architectures[0]); status.CodeOf(err) == status.NotFound || status.CodeOf(err) == status.Unimplemented {
		t.Skipf("NOT CHECKED: %v", err)
	}
	for _, m := range measuredKernels() { // of the shapes that models have
		arrays := func(shapes [][]int64) (all []code.Array) {
			for _, dims := range shapes {
				all = append(all, code.Array{Type: tensor.Float, Dims: dims})
			}
			return all
		}
		out, in := arrays(m.out), arrays(m.in)
		if m.need != nil {
			out = append(out, m.need(out, in))
		}
		launches, err := m.write(out, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range launches {
			if !slices.Contains(all, l.Code) {
				all = append(all, l.Code)
			}
		}
	}
	var (
		next    atomic.Int64
		workers sync.WaitGroup
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(all)*len(architectures)); i = next.Add(1) - 1 {
				n, which := int(i)/len(architectures), int(i)%len(architectures)
				if n%oneIn() != 0 {
					continue
				}
				c, first := all[n], 0
				if sized(c) {
					first = n / oneIn() % len(architectures)
				}
				if which == first || *every && sized(c) {
					compiled(t, c, architectures[which])
				}
			}
		})
	}
	workers.Wait()
	t.Logf("one in %d of %d functions", oneIn(), len(all))
}

// compiled compiles a function, and says what is wrong with what it takes.
func compiled(t *testing.T, c *devices.Code, architecture string) {
	cubin, err := cuda.Compile(c.Source, architecture)
	if err != nil {
		t.Errorf("%s: %v", c.Entry, err)
		return
	}
	r, err := resourcesOf(cubin, c.Entry)
	if err != nil {
		t.Errorf("%s: %v", c.Entry, err)
		return
	}
	t.Logf("%s %s: %v", architecture, c.Entry, r)
	most := mostLocal
	if sized(c) {
		most = mostSpilled
	}
	if r.shared > mostShared || r.registers > mostRegisters || r.local > most {
		t.Errorf("%s for %s takes %v", c.Entry, architecture, r)
	}
}

// sized reports whether a function has groups of one size, which it says to the compiler.
func sized(c *devices.Code) bool { return strings.Contains(c.Source, "\nKERNEL_OF(") }

// resources is what a function takes.
type resources struct {
	registers, shared, local int // registers and bytes of local memory of a thread
}

func (r resources) String() string {
	return fmt.Sprintf("%d registers, %d bytes shared, %d local", r.registers, r.shared, r.local)
}

// resourcesOf reads them from a compiled function: shared memory is a section without
// contents, the others are in .nv.info, a list of attributes.
func resourcesOf(cubin []byte, entry string) (r resources, err error) {
	if len(cubin) < 64 {
		return r, fmt.Errorf("the compiled code has %d bytes", len(cubin))
	}
	cubin = bytes.Clone(cubin)
	copy(cubin[20:], []byte{1, 0, 0, 0}) // the version, where NVIDIA has a number of its own
	f, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil {
		return r, err
	}
	if s := f.Section(".nv.shared." + entry); s != nil {
		r.shared = int(s.Size)
	}
	info := f.Section(".nv.info")
	if info == nil {
		return r, fmt.Errorf("the compiled code has no .nv.info")
	}
	data, err := info.Data()
	if err != nil {
		return r, err
	}
	const sized, frame, registers = 4, 0x11, 0x2f // attributes with contents; those of a function: its symbol and a number
	for len(data) >= 4 {
		n := 0
		if data[0] == sized {
			n = int(binary.LittleEndian.Uint16(data[2:]))
		}
		if len(data) < 4+n {
			return r, fmt.Errorf(".nv.info ends early")
		}
		if n >= 8 {
			switch number := int(binary.LittleEndian.Uint32(data[8:])); data[1] {
			case frame:
				r.local = max(r.local, number)
			case registers:
				r.registers = max(r.registers, number)
			}
		}
		data = data[4+n:]
	}
	return r, nil
}
