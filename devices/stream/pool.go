package stream

import (
	"math/bits"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// A Block is a piece of device memory, with what streams do with it.
type Block struct {
	Buffer devices.Buffer
	class  int64
	wrote  Place         // the last command that writes it; N is 0 if there is none
	read   [Kinds]uint64 // the last commands since that read it
}

// Wrote returns the place of the last command that writes the block; N is 0 if there is none.
func (b *Block) Wrote() Place { return b.wrote }

// within reports whether streams have passed all that they do with the block.
func (b *Block) within(passed [Kinds]uint64) bool {
	if b.wrote.N > passed[b.wrote.Stream] {
		return false
	}
	for s, n := range b.read {
		if n > passed[s] {
			return false
		}
	}
	return true
}

// Statistics is what a pool has.
type Statistics struct {
	Limit    int64 // bytes
	InUse    int64 // bytes of blocks that somebody owns
	Peak     int64 // the most that InUse was
	Resting  int64 // bytes of blocks that nobody owns
	Blocks   int64 // that somebody owns
	Allocs   int64 // blocks that were given
	Reused   int64 // of these, how many were given a resting block
	Failures int64 // blocks that were refused
}

// A Pool shares out a device's memory. It calls no driver: its caller asks for buffers and
// releases them.
type Pool struct {
	name    string             // the device's, for errors
	free    map[int64][]*Block // by class
	figures Statistics
}

// NewPool shares out the memory of a device, up to its limit.
func NewPool(a devices.Attributes) *Pool {
	return &Pool{name: a.Name, free: map[int64][]*Block{}, figures: Statistics{Limit: a.MemoryLimit}}
}

// Statistics returns what the pool has now.
func (p *Pool) Statistics() Statistics { return p.figures }

// Reuse returns a resting block of at least so many bytes, whose next command must be told to
// the Order; nil if there is none. It prefers those that streams have passed, so that the
// work need not wait.
func (p *Pool) Reuse(bytes int64, passed [Kinds]uint64) *Block {
	class := Class(bytes)
	rest := p.free[class]
	if bytes < 0 || len(rest) == 0 {
		return nil
	}
	at := len(rest) - 1
	for i, b := range rest {
		if b.within(passed) {
			at = i
			break
		}
	}
	b := rest[at]
	p.free[class] = append(rest[:at], rest[at+1:]...)
	p.figures.Resting -= class
	p.figures.Reused++
	p.own(class)
	return b
}

// Grow makes room for a new block of at least so many bytes: the caller gives it a Buffer of
// the device's, of Bytes, once it has released spare, buffers of resting blocks that streams
// have passed. If the device refuses, the caller gives the block to Abandon. Without room
// within the limit Grow fails with RESOURCE_EXHAUSTED; spare is to be released all the same.
func (p *Pool) Grow(bytes int64, passed [Kinds]uint64) (b *Block, spare []devices.Buffer, err error) {
	limit := p.figures.Limit
	if bytes < 0 || limit > 0 && bytes > limit {
		p.figures.Failures++
		return nil, nil, p.exhausted(bytes)
	}
	class := Class(bytes)
	if limit > 0 && p.figures.InUse+p.figures.Resting+class > limit {
		spare = p.Trim(passed)
		if p.figures.InUse+p.figures.Resting+class > limit {
			p.figures.Failures++
			return nil, spare, p.exhausted(bytes)
		}
	}
	p.own(class)
	return &Block{class: class}, spare, nil
}

// Bytes returns what the block's buffer has.
func (b *Block) Bytes() int64 { return b.class }

// Abandon takes back what Grow gave, for which the device had no memory.
func (p *Pool) Abandon(b *Block) {
	p.figures.InUse -= b.class
	p.figures.Blocks--
	p.figures.Allocs--
	p.figures.Failures++
}

func (p *Pool) own(class int64) {
	p.figures.InUse += class
	p.figures.Peak = max(p.figures.Peak, p.figures.InUse)
	p.figures.Blocks++
	p.figures.Allocs++
}

func (p *Pool) exhausted(bytes int64) error {
	f := p.figures
	return status.Errorf(status.ResourceExhausted, "%s has no room for %d bytes: %d of %d are in use, in %s, and %d rest",
		p.name, bytes, f.InUse, f.Limit, status.Count(int(f.Blocks), "block"), f.Resting)
}

// Release takes a block back: its owner has told the Order of its last command.
func (p *Pool) Release(b *Block) {
	p.figures.InUse -= b.class
	p.figures.Resting += b.class
	p.figures.Blocks--
	p.free[b.class] = append(p.free[b.class], b)
}

// Trim removes the resting blocks that streams have passed, and returns their buffers, which
// the caller releases: a driver may wait for the device then, so not under the lock that
// works are ordered by.
func (p *Pool) Trim(passed [Kinds]uint64) (spare []devices.Buffer) {
	for class, rest := range p.free {
		kept := rest[:0]
		for _, b := range rest {
			if b.within(passed) {
				spare = append(spare, b.Buffer)
				p.figures.Resting -= class
			} else {
				kept = append(kept, b)
			}
		}
		clear(rest[len(kept):])
		p.free[class] = kept
	}
	return spare
}

// smallest is the least that a block has.
const smallest = 256

// Class returns the size of the block that so many bytes get: a multiple of a quarter of
// a power of two, so that at most a fifth of it is for nothing.
func Class(bytes int64) int64 {
	if bytes <= smallest {
		return smallest
	}
	quarter := int64(1) << (bits.Len64(uint64(bytes-1)) - 3)
	return (bytes + quarter - 1) &^ (quarter - 1)
}
