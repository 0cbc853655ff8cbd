package ptx

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// rotated has each thread of a block of 64 write its number to shared memory, and read that of
// the thread 33 further on, twice. %s are where barriers belong.
const rotated = `
.shared .align 4 .b8 s[256];
ld.param.u64 %rd1, [p0];
mov.u32 %r1, %tid.x;
mov.u32 %r2, s;
shl.b32 %r3, %r1, 2;
add.s32 %r4, %r2, %r3;
add.s32 %r5, %r1, 33;
and.b32 %r5, %r5, 63;
shl.b32 %r6, %r5, 2;
add.s32 %r7, %r2, %r6;
mov.u32 %r10, 0;
st.shared.u32 [%r4], %r1;
FIRST
ld.shared.u32 %r8, [%r7];
SECOND
add.s32 %r9, %r1, 1000;
st.shared.u32 [%r4], %r9;
THIRD
ld.shared.u32 %r10, [%r7];
add.s32 %r8, %r8, %r10;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r8;
`

// TestRaces: whatever the seed, threads that use barriers see what others wrote before them,
// and each barrier that is left out is found.
func TestRaces(t *testing.T) {
	names := []string{"FIRST", "SECOND", "THIRD"}
	for left := -1; left < len(names); left++ {
		for seed := range uint64(20) {
			body := rotated
			for i, name := range names {
				with := "bar.sync 0;"
				if i == left {
					with = ""
				}
				body = strings.Replace(body, name, with, 1)
			}
			mod, err := Parse(module(body))
			if err != nil {
				t.Fatal(err)
			}
			m := machine{make([]byte, 256)}
			params := make([]byte, 36)
			binary.LittleEndian.PutUint64(params, Address(FirstWindow))
			err = mod.Entries["f"].Run(&Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Params: params, Memory: m.memory, Seed: seed})
			var f *Fault
			switch {
			case left >= 0 && (!errors.As(err, &f) || !strings.Contains(f.Reason, "no barrier is between")):
				t.Fatalf("seed %d, without barrier %d: %v", seed, left, err)
			case left < 0 && err != nil:
				t.Fatalf("seed %d: %v", seed, err)
			}
			for i := 0; i < 64 && left < 0; i++ {
				if got, want := binary.LittleEndian.Uint32(m[0][4*i:]), uint32(2*((i+33)%64)+1000); got != want {
					t.Fatalf("seed %d: element %d is %d, not %d", seed, i, got, want)
				}
			}
		}
	}
}
