package image

import (
	"errors"
	"image"
	"image/gif"
	"io"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// gif decodes the frames, each drawn over the one before it. The result is charged
// before the first is decoded, and there is one decoded frame at a time: a file of
// 1 MB may hold gigabytes of them.
func (k *decoder) gif(ctx *kernel.Context, file string, out *tensor.Value) error {
	if k.channels != 0 && k.channels != 3 {
		return status.Invalid("channels must be 0 or 3 for GIF, got %d", k.channels)
	}
	m, err := outlineOf(ctx, file)
	if e := ctx.Err(); e != nil {
		return e
	}
	if err != nil {
		return status.Invalid("Invalid GIF data (size %d), %v", len(file), err)
	}
	if k.still && m.frames != 1 {
		return status.Invalid("Got %d frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image", m.frames)
	}
	frames, h, w := m.frames, m.height, m.width
	// A code takes 3 bits at least and stands for 4096 pixels at most.
	if w*h/(3*4096) > len(file) {
		return status.Invalid("Invalid GIF data (size %d), too little for %d x %d pixels", len(file), w, h)
	}
	var c canvas
	if k.expand {
		c, err = k.alloc(ctx, out, frames, h, w, 3)
	} else {
		frames = 1
		c, err = k.alloc(ctx, out, h, w, 3)
	}
	if err != nil {
		return err
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	if err := ctx.Reserve(2 * w * h); err != nil { // a decoded frame; interlaced lines are sorted in a copy
		return err
	}
	size := h * w * 3
	screen, err := kernel.Scratch[uint8](ctx, size)
	if err != nil {
		return err
	}
	source := gifSource{ctx: ctx, file: file, head: m.head, next: m.head}
	for f := range frames {
		if err := source.draw(screen, h, w); err != nil {
			if e := ctx.Err(); e != nil {
				return e
			}
			return status.Invalid("Invalid GIF data (size %d), failed to slurp gif file: %v", len(file), err)
		}
		for lo, hi := range ctx.Ranges(size, 1<<18) {
			for i, x := range screen[lo:hi] {
				c.set(f*size+lo+i, x)
			}
		}
	}
	return nil
}

// A gifOutline is what is known of a GIF file whose pixels have not been decoded.
type gifOutline struct {
	head          int // how long the header is, with the global color table
	frames        int
	height, width int // of the largest frames
}

var (
	errGIFCut   = errors.New("unexpected end of file")
	errGIFBlock = errors.New("a block of unknown type")
)

// outlineOf walks over the blocks of a GIF file up to its trailer.
func outlineOf(ctx *kernel.Context, file string) (m gifOutline, err error) {
	at := 0
	defer func() {
		if at > len(file) {
			err = errGIFCut
		}
	}()
	// take is the byte n places on; 0 beyond the end.
	take := func(n int) int {
		if at+n >= len(file) {
			return 0
		}
		return int(file[at+n])
	}
	table := func(fields int) int { // how long the color table is that fields announces
		if fields&0x80 == 0 {
			return 0
		}
		return 3 << (1 + fields&7)
	}
	var credit kernel.Credit
	blocks := func() { // skips blocks of data, up to the empty one
		for n := 1; n > 0 && at <= len(file) && credit.Spend(ctx, 4); {
			n = take(0)
			at += 1 + n
		}
	}
	at = 13 + table(take(10))
	m.head = at
	for at < len(file) {
		if !credit.Spend(ctx, 16) {
			return m, ctx.Err()
		}
		kind := take(0)
		at++
		switch kind {
		case ',': // a frame: its place and size, a color table, the bits of a code, codes
			m.frames++
			m.width = max(m.width, take(4)|take(5)<<8)
			m.height = max(m.height, take(6)|take(7)<<8)
			at += 9 + table(take(8)) + 1
			blocks()
		case '!': // an extension
			label := take(0)
			at++
			switch label {
			case 0x01: // text, of which 13 bytes are in the first block
				at += 13
			case 0xf9: // how the next frame is shown
				if take(0) != 4 || take(5) != 0 {
					return m, errGIFBlock
				}
				at += 6
				continue
			case 0xff: // an application's
				at += 1 + take(0)
			case 0xfe: // a comment
			default:
				return m, errGIFBlock
			}
			blocks()
		case ';':
			if m.frames == 0 {
				return m, errors.New("there is no image")
			}
			return m, nil
		default:
			return m, errGIFBlock
		}
	}
	return m, errGIFCut
}

// A gifSource is a GIF file as gif.Decode reads it, which decodes the first frame: the
// header, and then the file from the next frame on.
type gifSource struct {
	ctx  *kernel.Context
	file string
	head int // how long the header is
	next int // where the next frame begins, with the extensions before it
	at   int
}

// seek goes from the end of the header to the next frame.
func (s *gifSource) seek() error {
	if s.at == s.head {
		s.at = max(s.next, s.at)
	}
	if s.at >= len(s.file) {
		return io.EOF
	}
	return nil
}

// Read reads a block at most, and fails once the step has ended.
func (s *gifSource) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if err := s.seek(); err != nil {
		return 0, err
	}
	end := len(s.file)
	if s.at < s.head {
		end = s.head
	}
	n := copy(p, s.file[s.at:end])
	s.at += n
	return n, nil
}

// ReadByte reads a byte.
func (s *gifSource) ReadByte() (byte, error) {
	if err := s.seek(); err != nil {
		return 0, err
	}
	s.at++
	return s.file[s.at-1], nil
}

// draw decodes the next frame and draws it on a screen of h by w pixels.
func (s *gifSource) draw(screen []uint8, h, w int) error {
	s.at = 0
	m, err := gif.Decode(s)
	if err != nil {
		return err
	}
	s.next = s.at
	p, ok := m.(*image.Paletted)
	if !ok {
		return errGIFBlock
	}
	var colors [256][4]uint8
	for i, c := range p.Palette {
		r, g, b, a := c.RGBA()
		colors[i] = [4]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}
	}
	for y := p.Rect.Min.Y; y < min(p.Rect.Max.Y, h); y++ {
		line := p.Pix[(y-p.Rect.Min.Y)*p.Stride:]
		for x := p.Rect.Min.X; x < min(p.Rect.Max.X, w); x++ {
			if c := &colors[line[x-p.Rect.Min.X]]; c[3] != 0 {
				copy(screen[(y*w+x)*3:][:3], c[:3])
			}
		}
	}
	return nil
}
