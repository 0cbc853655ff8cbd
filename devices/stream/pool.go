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
	wrote  Place         // the last work that writes it; N is 0 if there is none
	read   [Kinds]uint64 // the last works since that read it
}

// Wrote is the place of the last work that writes the block; N is 0 if there is none.
func (b *Block) Wrote() Place { return b.wrote }

// within says whether streams have passed all that they do with the block.
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
	Allocs   int64 // calls of Alloc that succeeded
	Reused   int64 // of these, how many were given a resting block
	Failures int64 // calls that failed
}

// A Pool shares out a device's memory.
type Pool struct {
	device  devices.Accelerator
	free    map[int64][]*Block // by class
	figures Statistics
}

// NewPool shares out the memory of a device, up to its limit.
func NewPool(d devices.Accelerator) *Pool {
	return &Pool{device: d, free: map[int64][]*Block{}, figures: Statistics{Limit: d.Attributes().MemoryLimit}}
}

// Statistics is what the pool has now.
func (p *Pool) Statistics() Statistics { return p.figures }

// Alloc gives a block of at least so many bytes, whose next work must be told to the
// Order. Among resting blocks it prefers those that streams have passed, so that the
// work need not wait. Where nothing fits it gives back to the device what rests and
// is passed; it fails with RESOURCE_EXHAUSTED.
func (p *Pool) Alloc(bytes int64, passed [Kinds]uint64) (*Block, error) {
	if bytes < 0 || p.figures.Limit > 0 && bytes > p.figures.Limit {
		p.figures.Failures++
		return nil, p.exhausted(bytes)
	}
	class := Class(bytes)
	if rest := p.free[class]; len(rest) > 0 {
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
		return b, nil
	}
	if p.figures.Limit > 0 && p.figures.InUse+p.figures.Resting+class > p.figures.Limit {
		p.Trim(passed)
	}
	var buffer devices.Buffer
	err := error(nil)
	if p.figures.Limit > 0 && p.figures.InUse+p.figures.Resting+class > p.figures.Limit {
		err = p.exhausted(bytes)
	} else if buffer, err = p.device.Alloc(class); status.CodeOf(err) == status.ResourceExhausted && p.Trim(passed) > 0 {
		buffer, err = p.device.Alloc(class)
	}
	if err != nil {
		p.figures.Failures++
		return nil, err
	}
	p.own(class)
	return &Block{Buffer: buffer, class: class}, nil
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
		p.device.Attributes().Name, bytes, f.InUse, f.Limit, status.Count(int(f.Blocks), "block"), f.Resting)
}

// Release takes a block back: its owner has told the Order of its last work.
func (p *Pool) Release(b *Block) {
	p.figures.InUse -= b.class
	p.figures.Resting += b.class
	p.figures.Blocks--
	p.free[b.class] = append(p.free[b.class], b)
}

// Trim gives back to the device the resting blocks that streams have passed, and
// answers how many bytes that is.
func (p *Pool) Trim(passed [Kinds]uint64) (bytes int64) {
	for class, rest := range p.free {
		kept := rest[:0]
		for _, b := range rest {
			if b.within(passed) {
				b.Buffer.Release()
				bytes += class
			} else {
				kept = append(kept, b)
			}
		}
		clear(rest[len(kept):])
		p.free[class] = kept
	}
	p.figures.Resting -= bytes
	return bytes
}

// smallest is the least that a block has.
const smallest = 256

// Class is the size of the block that so many bytes get: a multiple of a quarter of
// a power of two, so that at most a fifth of it is for nothing.
func Class(bytes int64) int64 {
	if bytes <= smallest {
		return smallest
	}
	quarter := int64(1) << (bits.Len64(uint64(bytes-1)) - 3)
	return (bytes + quarter - 1) &^ (quarter - 1)
}
