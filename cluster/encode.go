package cluster

import (
	"encoding/binary"

	"github.com/troupe-go/troupe/status"
)

// An encoder appends numbers and strings to a message.
type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)   { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)     { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) fixed(v uint64)  { e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *encoder) byte(v byte)     { e.b = append(e.b, v) }
func (e *encoder) string(s string) { e.uint(uint64(len(s))); e.b = append(e.b, s...) }
func (e *encoder) bytes(s []byte)  { e.uint(uint64(len(s))); e.b = append(e.b, s...) }
func (e *encoder) strings(s []string) {
	e.uint(uint64(len(s)))
	for _, v := range s {
		e.string(v)
	}
}

// A decoder reads what an encoder wrote. After a mistake it returns zeros, and err says so.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = status.Errorf(status.DataLoss, "a message ends early, or is not one of a cluster")
	}
	d.b = nil
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) fixed() uint64 {
	if len(d.b) < 8 {
		d.fail()
		return 0
	}
	v := binary.LittleEndian.Uint64(d.b)
	d.b = d.b[8:]
	return v
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

// count reads how many elements follow, of at least that many bytes each.
func (d *decoder) count(each int) int {
	n := d.uint()
	if n > uint64(len(d.b)/each) {
		d.fail()
		return 0
	}
	return int(n)
}

// bytes returns a part of the message.
func (d *decoder) bytes() []byte {
	n := d.count(1)
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) string() string { return string(d.bytes()) }

func (d *decoder) strings() []string {
	all := make([]string, d.count(1))
	for i := range all {
		all[i] = d.string()
	}
	return all
}
