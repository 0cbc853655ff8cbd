package bundle

import (
	"encoding/binary"

	"github.com/troupe-go/troupe/status"
)

const (
	tableMagic  = 0xdb4775248b80fb57
	footerSize  = 48 // two handles, zeros up to 40 bytes, the magic number
	trailerSize = 5  // behind every block: its compression, the checksum
)

// A table maps sorted keys to values. It is not for concurrent use.
type table struct {
	file   []byte
	blocks map[handle]block // those that have been verified
	index  block            // from the last key of each block, or one between it and the next, to its handle
}

// A handle is where a block lies, its trailer not counted.
type handle struct{ at, size uint64 }

func parseHandle(b []byte) (h handle, rest []byte, err error) {
	at, n := binary.Uvarint(b)
	if n <= 0 {
		return h, nil, corrupt("a block's handle is cut off")
	}
	size, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return h, nil, corrupt("a block's handle is cut off")
	}
	return handle{at, size}, b[n+m:], nil
}

// parseTable reads a table, of which it keeps file.
func parseTable(file []byte) (*table, error) {
	if len(file) < footerSize {
		return nil, corrupt("file is too short (%d bytes) to be an sstable", len(file))
	}
	footer := file[len(file)-footerSize:]
	if binary.LittleEndian.Uint64(footer[footerSize-8:]) != tableMagic {
		return nil, corrupt("not an sstable (bad magic number)")
	}
	statistics, rest, err := parseHandle(footer[:footerSize-8])
	if err != nil {
		return nil, err
	}
	index, _, err := parseHandle(rest)
	if err != nil {
		return nil, err
	}
	t := &table{file: file, blocks: map[handle]block{}}
	if _, err := t.block(statistics); err != nil { // nothing is in it
		return nil, err
	}
	t.index, err = t.block(index)
	return t, err
}

// block reads and verifies a block.
func (t *table) block(h handle) (block, error) {
	if b, ok := t.blocks[h]; ok {
		return b, nil
	}
	n := uint64(len(t.file))
	if h.at > n || h.size > n-h.at || trailerSize > n-h.at-h.size {
		return block{}, corrupt("a block of %d bytes at %d lies outside the file of %d bytes", h.size, h.at, n)
	}
	b := t.file[h.at:][:h.size+1]
	if sum := binary.LittleEndian.Uint32(t.file[h.at+h.size+1:]); sum != checksum(b) {
		return block{}, corrupt("block checksum mismatch at %d", h.at)
	}
	if kind := b[h.size]; kind != 0 {
		return block{}, status.Errorf(status.Unimplemented, "the block at %d is compressed (method %d)", h.at, kind)
	}
	parsed, err := parseBlock(b[:h.size])
	if err == nil {
		t.blocks[h] = parsed
	}
	return parsed, err
}

// lookup returns the value of a key; ok is false if it is not there.
func (t *table) lookup(key []byte) (value []byte, ok bool, err error) {
	index := cursor{block: t.index}
	if ok, err = index.seek(key); !ok || err != nil {
		return nil, false, err
	}
	c, err := t.open(index.value)
	if err != nil {
		return nil, false, err
	}
	if ok, err = c.seek(key); !ok || err != nil || string(c.key) != string(key) {
		return nil, false, err
	}
	return c.value, true, nil
}

func (t *table) open(value []byte) (*cursor, error) {
	h, _, err := parseHandle(value)
	if err != nil {
		return nil, err
	}
	b, err := t.block(h)
	return &cursor{block: b}, err
}

// expansion is how much longer than the file all keys together may be. A key
// may take a few bytes in the file and be as long as any before it, so that
// they would otherwise grow with its square. Where every sixteenth key is
// written out, as is usual, they stay far below.
const expansion = 64

// each calls f with the entries in order until it fails. The key is good during
// the call only.
func (t *table) each(f func(key, value []byte) error) error {
	left := expansion * len(t.file)
	index := cursor{block: t.index}
	for {
		ok, err := index.next()
		if !ok || err != nil {
			return err
		}
		if left -= len(index.key); left < 0 {
			return corrupt("the keys of a table of %d bytes take more than %d times as much", len(t.file), expansion)
		}
		c, err := t.open(index.value)
		if err != nil {
			return err
		}
		for {
			ok, err := c.next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if left -= len(c.key) + len(c.value); left < 0 {
				return corrupt("the entries of a table of %d bytes take more than %d times as much", len(t.file), expansion)
			}
			if err := f(c.key, c.value); err != nil {
				return err
			}
		}
	}
}
