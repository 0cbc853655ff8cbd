package tensor

import (
	"strings"
	"unsafe"
)

// A TextBuilder builds text of unknown length from pieces. Memory is charged to a budget
// before it is allocated. The zero TextBuilder is empty and charges nothing; it is not
// safe for concurrent use.
type TextBuilder struct {
	Budget *Budget

	blocks  [][]byte
	n       int
	charged int64
}

const (
	firstBlock = 512
	lastBlock  = 1 << 20
)

// Write takes a piece. It fails with RESOURCE_EXHAUSTED where the budget is passed.
func (g *TextBuilder) Write(p []byte) (int, error) {
	written := len(p)
	for {
		if last := len(g.blocks) - 1; last >= 0 {
			b := g.blocks[last]
			k := copy(b[len(b):cap(b)], p)
			g.blocks[last] = b[:len(b)+k]
			g.n += k
			p = p[k:]
		}
		if len(p) == 0 {
			return written, nil
		}
		size := max(min(max(g.n, len(p)), lastBlock), firstBlock)
		if err := g.charge(size); err != nil {
			return written - len(p), err
		}
		g.blocks = append(g.blocks, make([]byte, 0, size))
	}
}

func (g *TextBuilder) charge(n int) error {
	if err := g.Budget.Charge(int64(n)); err != nil {
		return err
	}
	g.charged += int64(n)
	return nil
}

// Len returns how many bytes have come.
func (g *TextBuilder) Len() int { return g.n }

// Text returns all that has come, in one piece. It stays charged until Close; what comes
// afterwards begins a new text.
func (g *TextBuilder) Text() (string, error) {
	blocks, n := g.blocks, g.n
	if len(blocks) == 1 && cap(blocks[0])-n <= n/8 {
		g.blocks, g.n = nil, 0
		return unsafe.String(unsafe.SliceData(blocks[0]), n), nil
	}
	if err := g.charge(n); err != nil {
		return "", err
	}
	var all strings.Builder
	all.Grow(n)
	for i, b := range blocks {
		all.Write(b)
		blocks[i] = nil
		g.Budget.Release(int64(cap(b)))
		g.charged -= int64(cap(b))
	}
	g.blocks, g.n = blocks[:0], 0
	return all.String(), nil
}

// Close gives back all that is charged, as the text is its user's now.
func (g *TextBuilder) Close() {
	g.Budget.Release(g.charged)
	g.blocks, g.n, g.charged = nil, 0, 0
}
