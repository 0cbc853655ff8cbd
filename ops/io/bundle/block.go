package bundle

import (
	"bytes"
	"encoding/binary"
	"sort"

	"github.com/troupe-go/troupe/status"
)

// A block is a run of sorted entries
//
//	shared, unshared, value length   varints
//	the last unshared bytes of the key, the value
//
// followed by the offsets of those entries that share nothing with the one
// before, and their number.
type block struct {
	entries  []byte
	restarts []byte // 4 bytes each
}

func parseBlock(b []byte) (block, error) {
	if len(b) < 4 {
		return block{}, corrupt("a block of %d bytes", len(b))
	}
	n := uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	b = b[:len(b)-4]
	if n == 0 || n > uint64(len(b)/4) {
		return block{}, corrupt("a block of %d bytes with %d restarts", len(b)+4, n)
	}
	at := len(b) - int(n)*4
	return block{b[:at], b[at:]}, nil
}

// A cursor walks the entries of a block. Its key is its own and changes with
// each step; the value is the block's.
type cursor struct {
	block
	at    int // where the next entry begins
	key   []byte
	value []byte
}

// next steps to the next entry; ok is false at the end.
func (c *cursor) next() (ok bool, err error) {
	if c.at >= len(c.entries) {
		return false, nil
	}
	b := c.entries[c.at:]
	var shared, unshared, size uint64
	for _, p := range []*uint64{&shared, &unshared, &size} {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return false, corrupt("the entry at %d of a block is cut off", c.at)
		}
		*p, b = v, b[n:]
	}
	if shared > uint64(len(c.key)) || unshared > uint64(len(b)) || size > uint64(len(b))-unshared {
		return false, corrupt("the entry at %d of a block does not fit it", c.at)
	}
	c.key = append(c.key[:shared], b[:unshared]...)
	c.value = b[unshared : unshared+size : unshared+size]
	c.at = len(c.entries) - len(b) + int(unshared+size)
	return true, nil
}

// seek steps to the first entry whose key is not below key.
func (c *cursor) seek(key []byte) (ok bool, err error) {
	n := len(c.restarts) / 4
	first := sort.Search(n, func(i int) bool { // the first restart that is not below key
		if err == nil {
			_, err = c.restart(i)
		}
		return err != nil || bytes.Compare(c.key, key) >= 0
	})
	if err == nil && first > 0 {
		first--
	}
	if err == nil {
		ok, err = c.restart(min(first, n-1))
	}
	for ok && err == nil && bytes.Compare(c.key, key) < 0 {
		ok, err = c.next()
	}
	return ok, err
}

// restart steps to the entry of restart i.
func (c *cursor) restart(i int) (ok bool, err error) {
	at := uint64(binary.LittleEndian.Uint32(c.restarts[4*i:]))
	if at > uint64(len(c.entries)) {
		return false, corrupt("restart %d of a block lies outside it", i)
	}
	c.at, c.key = int(at), c.key[:0]
	return c.next()
}

func corrupt(format string, args ...any) *status.Error {
	return status.Errorf(status.DataLoss, format, args...)
}
