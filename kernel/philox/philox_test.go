package philox

import "testing"

// The known answers that the authors of Philox publish with their library
// (Random123, kat_vectors, philox4x32 with 10 rounds).
func TestPhilox(t *testing.T) {
	for _, c := range []struct {
		counter, want [4]uint32
		key           [2]uint32
	}{
		{
			want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
		},
		{
			counter: [4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
			key:     [2]uint32{0xffffffff, 0xffffffff},
			want:    [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			counter: [4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			key:     [2]uint32{0xa4093822, 0x299f31d0},
			want:    [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		p := Generator{Counter: c.counter, Key: c.key}
		if got := p.Next(); got != c.want {
			t.Errorf("counter %x: %x, want %x", c.counter, got, c.want)
		}
	}
}

// Skipping n values is the same as drawing them, across all carries.
func TestSkip(t *testing.T) {
	p := Generator{Counter: [4]uint32{0xfffffffe, 0xffffffff, 0xffffffff, 7}}
	q := p
	for range 5 {
		p.Next()
	}
	q.Skip(5)
	if p != q {
		t.Errorf("%x after 5 draws, %x after a skip", p.Counter, q.Counter)
	}
}
