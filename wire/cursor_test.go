package wire_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// message has a field of every wire type, and a message with two fields.
func message() []byte {
	var b []byte
	b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), 300)
	b = protowire.AppendFixed32(protowire.AppendTag(b, 2, protowire.Fixed32Type), 7)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 300, protowire.Fixed64Type), math.MaxUint64)
	inner := protowire.AppendVarint(protowire.AppendTag(nil, 5, protowire.VarintType), 1)
	inner = protowire.AppendString(protowire.AppendTag(inner, 6, protowire.BytesType), "six")
	b = protowire.AppendBytes(protowire.AppendTag(b, 3, protowire.BytesType), inner)
	b = protowire.AppendTag(b, 4, protowire.StartGroupType)
	b = append(b, inner...)
	b = protowire.AppendTag(b, 4, protowire.EndGroupType)
	return protowire.AppendString(protowire.AppendTag(b, protowire.MaxValidNumber, protowire.BytesType), "")
}

func TestCursorReadsFields(t *testing.T) {
	b := message()
	c := wire.NewCursor("Outer", b)
	next := func(num protowire.Number, typ protowire.Type, value uint64, body string) {
		t.Helper()
		if !c.Next() {
			t.Fatalf("there is no field %d: %v", num, c.Err())
		}
		if !c.Is(num, typ) || c.Type != protowire.BytesType && c.Type != protowire.StartGroupType && c.Value != value ||
			c.Type == protowire.BytesType && string(c.Body()) != body {
			t.Errorf("field %d of type %d has value %d and body %q, want field %d of type %d with %d, %q", c.Num, c.Type, c.Value, c.Body(), num, typ, value, body)
		}
	}
	next(1, protowire.VarintType, 300, "")
	next(2, protowire.Fixed32Type, 7, "")
	next(300, protowire.Fixed64Type, math.MaxUint64, "")
	next(3, protowire.BytesType, 0, "\x28\x01\x32\x03six")
	inner := c.Message("Inner")
	if !inner.Next() || !inner.IsVarint(5) || inner.Value != 1 || !inner.Next() || !inner.IsBytes(6) {
		t.Error("the message within has other fields")
	}
	if text, err := inner.Text("name"); text != "six" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if at := bytes.Index(b, []byte("six")); inner.Lo != at || inner.Hi != at+3 || inner.Start != at-2 {
		t.Errorf("the field is at %d, its value at %d to %d; that of the message is at %d", inner.Start, inner.Lo, inner.Hi, at)
	}
	if inner.Next() || inner.Err() != nil {
		t.Errorf("the message within does not end: %v", inner.Err())
	}
	next(4, protowire.StartGroupType, 0, "")
	next(protowire.MaxValidNumber, protowire.BytesType, 0, "")
	if c.Next() || c.Err() != nil || len(c.Rest()) != 0 {
		t.Errorf("the message does not end: %v", c.Err())
	}
}

// What is malformed is said with its offset in the outermost message.
func TestCursorErrors(t *testing.T) {
	nested := func(depth int) []byte {
		return append(bytes.Repeat([]byte{0x0b}, depth), bytes.Repeat([]byte{0x0c}, depth)...)
	}
	for _, c := range []struct {
		name, bytes, want string
	}{
		{"tag zero", "\x00", "Outer is malformed at byte 0: invalid field number"},
		{"large number", "\x80\x80\x80\x80\x10", "Outer is malformed at byte 0: invalid field number"},
		{"cut tag", "\x08\x01\x88", "Outer is malformed at byte 2: unexpected EOF"},
		{"cut varint", "\x08\x80", "Outer is malformed at byte 1: field 1: unexpected EOF"},
		{"no varint", "\x08", "Outer is malformed at byte 1: field 1: unexpected EOF"},
		{"endless varint", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "Outer is malformed at byte 1: field 1: variable length integer overflow"},
		{"large varint", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "Outer is malformed at byte 1: field 1: variable length integer overflow"},
		{"cut fixed32", "\x0d123", "Outer is malformed at byte 1: field 1: unexpected EOF"},
		{"cut fixed64", "\x091234567", "Outer is malformed at byte 1: field 1: unexpected EOF"},
		{"no length", "\x0a", "Outer is malformed at byte 1: field 1: unexpected EOF"},
		{"length", "\x0a\x03ab", "Outer is malformed at byte 1: field 1: a length of 3 points past the end of the message at byte 4"},
		{"huge length", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "Outer is malformed at byte 1: field 1: a length of 18446744073709551615 points past"},
		{"group of nothing", "\x0c", "Outer is malformed at byte 1: field 1: the end of a group that has not begun"},
		{"open group", "\x0b\x08\x01", "Outer is malformed at byte 3: field 1: unexpected EOF"},
		{"wrong group", "\x0b\x14", "Outer is malformed at byte 2: field 1: group 1 ends as group 2"},
		{"wrong type in group", "\x0b\x0f\x0c", "Outer is malformed at byte 2: field 1: invalid field number or wire type"},
		{"groups", string(nested(wire.MaxGroups)), ""},
		{"nested groups", string(nested(wire.MaxGroups + 1)), "Outer is malformed at byte 101: field 1: groups nested more than 100 deep"},
		{"a million groups", strings.Repeat("\x0b", 1e6), "Outer is malformed at byte 101: field 1: groups nested more than 100 deep"},
		{"wire type", "\x0e", "Outer is malformed at byte 1: field 1: wire type 6 does not exist"},
		{"within", "\x12\x02\x08\x80", "Inner is malformed at byte 3: field 1: unexpected EOF"},
		{"past the inner end", "\x12\x02\x0a\x02\x08\x01", "Inner is malformed at byte 3: field 1: a length of 2 points past the end of the message at byte 4"},
		{"text", "\x1a\x01\xff", "Outer is malformed at byte 2: the name \"\\xff\" is not UTF-8"},
		{"packed", "\x22\x03\x01\x02\x80", "Outer is malformed at byte 4: field 4: unexpected EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := walk([]byte(c.bytes))
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(status.From(err).Message, c.want) || status.CodeOf(err) != status.InvalidArgument {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// walk takes field 2 for a message, 3 for a string, 4 for numbers.
func walk(b []byte) error {
	c := wire.NewCursor("Outer", b)
	for c.Next() {
		switch {
		case c.IsBytes(2):
			inner := c.Message("Inner")
			for inner.Next() {
			}
			if inner.Err() != nil {
				return inner.Err()
			}
		case c.IsBytes(3):
			if err := c.CheckUTF8("name"); err != nil {
				return err
			}
		case c.IsBytes(4):
			n := c.Numbers(protowire.VarintType)
			for n.Next() {
			}
			if n.Next() || n.Err() != nil {
				return n.Err()
			}
		}
	}
	if c.Next() {
		panic("a cursor goes on after an error")
	}
	return c.Err()
}

func TestCursorNumbers(t *testing.T) {
	want := []uint64{1, 300, math.MaxUint64}
	for _, typ := range []protowire.Type{protowire.VarintType, protowire.Fixed32Type, protowire.Fixed64Type} {
		put := func(b []byte, x uint64) []byte {
			switch typ {
			case protowire.Fixed32Type:
				return protowire.AppendFixed32(b, uint32(x))
			case protowire.Fixed64Type:
				return protowire.AppendFixed64(b, x)
			}
			return protowire.AppendVarint(b, x)
		}
		var single, packed []byte
		for _, x := range want {
			single = put(protowire.AppendTag(single, 1, typ), x)
			packed = put(packed, x)
		}
		packed = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), packed)
		for _, b := range [][]byte{single, packed} {
			i := 0
			for c := wire.NewCursor("", b); c.Next(); {
				n := c.Numbers(typ)
				for ; n.Next(); i++ {
					x := want[i]
					if typ == protowire.Fixed32Type {
						x = uint64(uint32(x))
					}
					if n.Value != x {
						t.Errorf("number %d of wire type %d is %d, not %d", i, typ, n.Value, x)
					}
				}
				if n.Err() != nil {
					t.Error(n.Err())
				}
			}
			if i != len(want) {
				t.Errorf("%d of %d numbers of wire type %d", i, len(want), typ)
			}
		}
	}
	c := wire.NewCursor("Outer", []byte("\x0a\x05\x01\x00\x00\x00\x02"))
	c.Next()
	n := c.Numbers(protowire.Fixed32Type)
	if !n.Next() || n.Next() || n.Err() == nil || !strings.HasSuffix(n.Err().Error(), "at byte 6: field 1: unexpected EOF") {
		t.Errorf("a number that is cut off: %v", n.Err())
	}
}

func TestCursorAllocatesNothing(t *testing.T) {
	b := message()
	if n := testing.AllocsPerRun(100, func() {
		if err := walk(b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// FuzzCursor compares a cursor with the protobuf runtime: the same fields at the
// same places, and the same messages refused, save for groups nested deep.
func FuzzCursor(f *testing.F) {
	f.Add(message())
	f.Add([]byte("\x12\x02\x08\x80"))
	f.Add(bytes.Repeat([]byte{0x0b}, 200))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := wire.NewCursor("", b)
		at := 0
		for c.Next() {
			num, typ, n := protowire.ConsumeField(b[at:])
			if n < 0 || num != c.Num || typ != c.Type || c.Start != at || c.Hi != at+n {
				t.Fatalf("field %d of type %d from %d to %d, want field %d of type %d from %d to %d", c.Num, c.Type, c.Start, c.Hi, num, typ, at, at+n)
			}
			_, _, tag := protowire.ConsumeTag(b[at:])
			switch typ {
			case protowire.BytesType:
				if want, _ := protowire.ConsumeBytes(b[at+tag:]); !bytes.Equal(want, c.Body()) {
					t.Fatalf("the body of field %d is %q, want %q", num, c.Body(), want)
				}
			case protowire.VarintType:
				if want, _ := protowire.ConsumeVarint(b[at+tag:]); want != c.Value {
					t.Fatalf("field %d is %d, want %d", num, c.Value, want)
				}
			}
			at += n
		}
		want := proto.Unmarshal(b, &emptypb.Empty{})
		deep := c.Err() != nil && strings.Contains(c.Err().Error(), "nested more than")
		if (c.Err() == nil) != (want == nil) && !deep {
			t.Fatalf("got %v, the runtime says %v", c.Err(), want)
		}
		walk(b)
	})
}

func BenchmarkCursor(b *testing.B) {
	var m []byte
	for range 1000 {
		m = append(m, message()...)
	}
	b.SetBytes(int64(len(m)))
	b.ReportAllocs()
	for b.Loop() {
		if err := walk(m); err != nil {
			b.Fatal(err)
		}
	}
}
