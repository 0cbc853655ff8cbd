package bundle

import "encoding/binary"

const (
	blockSize       = 256 << 10 // a block ends with the entry that reaches it
	restartInterval = 16        // entries from one that is written out to the next
)

// A tableWriter makes a table in memory. Keys must be added in order.
type tableWriter struct {
	out   []byte
	data  blockWriter
	index blockWriter
}

func (w *tableWriter) add(key, value []byte) {
	w.data.add(key, value, restartInterval)
	if len(w.data.buf) >= blockSize {
		w.flush()
	}
}

// flush ends the block of data, if anything is in it.
func (w *tableWriter) flush() {
	if len(w.data.restarts) == 0 {
		return
	}
	last := append([]byte(nil), w.data.last...)
	h := w.write(&w.data)
	w.index.add(last, h.append(nil), 1)
}

// write puts a block and its trailer out and empties it.
func (w *tableWriter) write(b *blockWriter) handle {
	if len(b.restarts) == 0 {
		b.restarts = append(b.restarts, 0)
	}
	for _, r := range b.restarts {
		b.buf = binary.LittleEndian.AppendUint32(b.buf, r)
	}
	b.buf = binary.LittleEndian.AppendUint32(b.buf, uint32(len(b.restarts)))
	h := handle{uint64(len(w.out)), uint64(len(b.buf))}
	b.buf = append(b.buf, 0) // not compressed
	w.out = append(w.out, b.buf...)
	w.out = binary.LittleEndian.AppendUint32(w.out, checksum(b.buf))
	*b = blockWriter{buf: b.buf[:0], restarts: b.restarts[:0]}
	return h
}

// finish returns the table.
func (w *tableWriter) finish() []byte {
	w.flush()
	statistics := w.write(&blockWriter{})
	index := w.write(&w.index)
	footer := make([]byte, 0, footerSize)
	footer = index.append(statistics.append(footer))
	footer = footer[:footerSize-8]
	return append(w.out, binary.LittleEndian.AppendUint64(footer, tableMagic)...)
}

func (h handle) append(b []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, h.at), h.size)
}

// A blockWriter makes one block.
type blockWriter struct {
	buf      []byte
	restarts []uint32
	since    int // entries since the last restart
	last     []byte
}

func (w *blockWriter) add(key, value []byte, interval int) {
	shared := 0
	if len(w.restarts) == 0 || w.since == interval {
		w.restarts = append(w.restarts, uint32(len(w.buf)))
		w.since = 0
	} else {
		for shared < len(key) && shared < len(w.last) && key[shared] == w.last[shared] {
			shared++
		}
	}
	w.since++
	for _, n := range []int{shared, len(key) - shared, len(value)} {
		w.buf = binary.AppendUvarint(w.buf, uint64(n))
	}
	w.buf = append(append(w.buf, key[shared:]...), value...)
	w.last = append(w.last[:0], key...)
}
