package image

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/ops/image/jpeg"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("EncodeJpeg").
		Input("image: uint8").Output("contents: string").
		Attr("format: {'', 'grayscale', 'rgb'} = ''").
		Attr("quality: int = 95").
		Attr("progressive: bool = false").
		Attr("optimize_size: bool = false").
		Attr("chroma_downsampling: bool = true").
		Attr("density_unit: {'in', 'cm'} = 'in'").
		Attr("x_density: int = 300").
		Attr("y_density: int = 300").
		Attr("xmp_metadata: string = ''").
		Doc(`Encodes an image as JPEG.

image: Height, width and 1 or 3 channels.
contents: The bytes of the file.
format: "grayscale" or "rgb"; empty for what the number of channels says.
quality: From 0 to 100.
progressive: Whether the file is to show the whole image coarsely at first; here it makes no difference.
optimize_size: Whether to spend time on a smaller file of the same pixels; here it makes no difference.
chroma_downsampling: Whether colors are kept at half the height and width.
density_unit: Whether densities are by the inch or by the centimetre.
x_density: Pixels in that unit across.
y_density: Pixels in that unit down.
xmp_metadata: An XMP packet to put into the file, if it is not empty.`)
	registry.Define("EncodeJpegVariableQuality").
		Input("images: uint8").Input("quality: int32").Output("contents: string").
		Doc(`Encodes an image as JPEG, of a quality that is an input.

images: Height, width and 1 or 3 channels.
quality: From 0 to 100, a scalar.
contents: The bytes of the file.`)

	shape.Register(shape.Rule("image: [?,?,?] -> contents: []"), "EncodeJpeg")
	shape.Register(shape.Rule("images: [?,?,?], quality: [] -> contents: []"), "EncodeJpegVariableQuality")
	kernel.ForAll(newJpegEncoder, "EncodeJpeg", "EncodeJpegVariableQuality")
}

// A jpegEncoder is the kernel of both operations. Files are sequential, with
// the Huffman codes that ITU-T T.81 suggests; arithmetic is that of libjpeg's
// accurate integer transform, so that files are equal to its files.
type jpegEncoder struct {
	channels    int // 0 for those of the image
	quality     int // -1 if it is an input
	downsample  bool
	unit        byte
	xDensity    uint16
	yDensity    uint16
	xmpMetadata string
}

func newJpegEncoder(c *kernel.Construction) (kernel.Kernel, error) {
	k := &jpegEncoder{quality: -1, downsample: true, unit: 1, xDensity: 300, yDensity: 300}
	if c.Op.Name == "EncodeJpegVariableQuality" {
		return k, nil
	}
	q, x, y := c.Int("quality"), c.Int("x_density"), c.Int("y_density")
	if q < 0 || q > 100 {
		return nil, c.Errorf("quality must be in [0,100], got %d", q)
	}
	k.quality, k.downsample, k.xDensity, k.yDensity = int(q), c.Bool("chroma_downsampling"), uint16(x), uint16(y)
	k.channels = map[string]int{"grayscale": 1, "rgb": 3}[c.Str("format")]
	if c.Str("density_unit") == "cm" {
		k.unit = 2
	}
	if k.xmpMetadata = c.Str("xmp_metadata"); len(k.xmpMetadata) > math.MaxUint16-2-len(xmpName) {
		return nil, c.Errorf("xmp_metadata takes %d bytes, and at most %d fit into a file", len(k.xmpMetadata), math.MaxUint16-2-len(xmpName))
	}
	return k, nil
}

const xmpName = "http://ns.adobe.com/xap/1.0/\x00"

func (k *jpegEncoder) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) != 3 {
		return status.Invalid("image must be 3-dimensional%s", tensor.FormatDims(dims))
	}
	quality := k.quality
	if quality < 0 {
		if in[1].Rank() != 0 {
			return status.Invalid("quality must be scalar: %s", tensor.FormatDims(in[1].Dims()))
		}
		if q := tensor.At0[int32](&in[1]); q < 0 || q > 100 {
			return status.Invalid("quality must be in [0,100], got %d", q)
		} else {
			quality = int(q)
		}
	}
	h, w, channels := dims[0], dims[1], dims[2]
	const most = 65500 // libjpeg's
	switch {
	case k.channels != 0 && channels != int64(k.channels):
		return status.Invalid("format expects %d channels got shape %s", k.channels, tensor.FormatDims(dims))
	case channels != 1 && channels != 3:
		return status.Invalid("image must have 1 or 3 channels, got shape %s", tensor.FormatDims(dims))
	case h < 1 || w < 1 || h > most || w > most:
		return status.Errorf(status.Internal, "JPEG encoding failed: images have 1 to %d rows and columns, this has shape %s", most, tensor.FormatDims(dims))
	}
	f := &jpegFile{width: int(w), height: int(h), pixels: tensor.Of[uint8](&in[0]), channels: int(channels)}
	f.quantize(max(quality, 1))
	k.head(f)
	if err := f.scan(ctx, k.downsample && channels == 3); err != nil {
		return err
	}
	return ctx.PutText(&out[0], string(f.out))
}

// A jpegFile is a file that is being made.
type jpegFile struct {
	width, height, channels int
	pixels                  []uint8
	tables                  [2][64]int32    // what coefficients are divided by, of brightness and color, in natural order
	divisors                [2]vec.Divisors // 8 times as large, as the transform's results are
	out                     []byte
	codes                   [4][256]huffmanCode // of DC and AC for brightness, then for color
	planes                  []plane
	down                    bool // colors are kept at half the height and width
}

// A huffmanCode is a code, with zeros for the bits of the number that follows, and the bits of both.
type huffmanCode struct {
	bits uint64
	n    uint8
}

// zigzag is the place in natural order of the coefficients in the order of a file.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// suggested is the divisors of ITU-T T.81, K.1 and K.2, in natural order.
var suggested = [2][64]int32{{
	16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55,
	14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
	18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
	49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
}, {
	17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
	24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
	99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
	99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
}}

// quantize scales the divisors for a quality.
func (f *jpegFile) quantize(quality int) {
	scale := int32(200 - 2*quality)
	if quality < 50 {
		scale = 5000 / int32(quality)
	}
	for t := range f.tables {
		for i, d := range suggested[t] {
			d = min(max((d*scale+50)/100, 1), 255)
			f.tables[t][i] = d
			f.divisors[t].Set(i, 8*d)
		}
	}
}

func (f *jpegFile) segment(marker byte, length int) {
	f.out = append(f.out, 0xff, marker)
	f.out = binary.BigEndian.AppendUint16(f.out, uint16(length+2))
}

// head puts out everything in front of the pixels.
func (k *jpegEncoder) head(f *jpegFile) {
	f.out = append(f.out, 0xff, 0xd8)
	f.segment(0xe0, 14)
	f.out = append(f.out, "JFIF\x00\x01\x01"...)
	f.out = append(f.out, k.unit)
	f.out = binary.BigEndian.AppendUint16(f.out, k.xDensity)
	f.out = binary.BigEndian.AppendUint16(f.out, k.yDensity)
	f.out = append(f.out, 0, 0)
	if k.xmpMetadata != "" {
		f.segment(0xe1, len(xmpName)+len(k.xmpMetadata))
		f.out = append(f.out, xmpName...)
		f.out = append(f.out, k.xmpMetadata...)
	}
	tables := min(f.channels, 2)
	for t := range tables {
		f.segment(0xdb, 65)
		f.out = append(f.out, byte(t))
		for _, i := range zigzag {
			f.out = append(f.out, byte(f.tables[t][i]))
		}
	}
	f.segment(0xc0, 6+3*f.channels)
	f.out = append(f.out, 8)
	f.out = binary.BigEndian.AppendUint16(f.out, uint16(f.height))
	f.out = binary.BigEndian.AppendUint16(f.out, uint16(f.width))
	f.out = append(f.out, byte(f.channels))
	for i := range f.channels {
		sampling := byte(0x11)
		if i == 0 && f.channels == 3 && k.downsample {
			sampling = 0x22
		}
		f.out = append(f.out, byte(i+1), sampling, byte(min(i, 1)))
	}
	for t := range 2 * tables {
		spec := &jpeg.Suggested[t]
		f.segment(0xc4, 17+len(spec.Values))
		f.out = append(f.out, byte(t/2|t%2<<4))
		f.out = append(f.out, spec.Counts[:]...)
		f.out = append(f.out, spec.Values...)
		code, at := uint32(0), 0
		for n, count := range spec.Counts {
			for range count {
				f.codes[t][spec.Values[at]] = huffmanCode{uint64(code) << (spec.Values[at] & 15), uint8(n+1) + spec.Values[at]&15}
				code++
				at++
			}
			code <<= 1
		}
	}
	f.segment(0xda, 4+2*f.channels)
	f.out = append(f.out, byte(f.channels))
	for i := range f.channels {
		f.out = append(f.out, byte(i+1), byte(min(i, 1)*0x11))
	}
	f.out = append(f.out, 0, 63, 0)
}

// A plane is the samples of one component, filled up to whole blocks.
type plane struct {
	samples    []uint8
	stride     int
	wide, high int // blocks
	across     int // blocks of it in a unit of the scan, each way
	table      int
}

// pieceUnits is how many units of the scan a piece has, and pieces how many of these are coded
// at a time.
const (
	pieceUnits = 64
	pieces     = 8
)

// mostBytes is how many bytes a block takes at most: a coefficient has 16 bits for its code and
// 11 for itself.
const mostBytes = 64 * 27 / 8

// scan puts out the pixels. Pieces of it are coded side by side, as a block's bits depend on
// one coefficient of the block before alone.
func (f *jpegFile) scan(ctx *kernel.Context, down bool) error {
	blocks := func(n, by int) int { return (n + by - 1) / by }
	f.planes, f.down = make([]plane, f.channels), down
	perUnit := 0
	for i := range f.planes {
		p := &f.planes[i]
		p.wide, p.high, p.across, p.table = blocks(f.width, 8), blocks(f.height, 8), 1, min(i, 1)
		switch {
		case down && i == 0:
			p.across = 2
		case down:
			p.wide, p.high = blocks(f.width, 16), blocks(f.height, 16)
		}
		perUnit += p.across * p.across
		p.stride = 8 * p.wide
		v, err := ctx.Alloc(tensor.Uint8, []int64{int64(8 * p.high), int64(p.stride)})
		if err != nil {
			return err
		}
		defer ctx.Free(v)
		p.samples = tensor.Of[uint8](&v)
	}
	across := f.planes[0].across
	rows, units := blocks(f.planes[0].high, across), blocks(f.planes[0].wide, across)
	all := rows * units
	each, together := min(pieceUnits, all), min(pieces, blocks(all, pieceUnits))
	space := each*perUnit*mostBytes + 8 // as eight bytes are written at a time
	v, err := ctx.Alloc(tensor.Uint8, []int64{int64(together), int64(space)})
	if err != nil {
		return err
	}
	defer ctx.Free(v)
	bytes := tensor.Of[uint8](&v)
	ctx.Parallel(rows, blocks(pieceUnits, units), func(lo, hi int) {
		for y := lo; y < hi && ctx.Err() == nil; y++ {
			f.fill(y)
		}
	})
	var coded [pieces]bitWriter
	end := merger{out: f.out}
	for first := 0; first < all && ctx.Err() == nil; first += each * together {
		now := blocks(min(each*together, all-first), each)
		ctx.Parallel(now, 1, func(lo, hi int) {
			for i := lo; i < hi && ctx.Err() == nil; i++ {
				coded[i] = bitWriter{bytes: bytes[i*space : (i+1)*space]}
				from := first + i*each
				f.code(&coded[i], from, min(from+each, all), units)
			}
		})
		for i := range now {
			end.piece(&coded[i])
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f.out = append(end.close(), 0xff, 0xd9)
	return nil
}

// brightness and colorParts are the integers of ITU-T T.871 that libjpeg has, fractions of 2^16.
func brightness(p []uint8) uint8 {
	return uint8((19595*int32(p[0]) + 38470*int32(p[1]) + 7471*int32(p[2]) + 1<<15) >> 16)
}

func colorParts(p []uint8) (cb, cr int32) {
	const offset = 128<<16 + 1<<15 - 1
	r, g, b := int32(p[0]), int32(p[1]), int32(p[2])
	return (-11059*r - 21709*g + 32768*b + offset) >> 16, (32768*r - 27439*g - 5329*b + offset) >> 16
}

// fill sets the planes' samples for a row of units.
func (f *jpegFile) fill(unit int) {
	pixels := func(y int) []uint8 { return f.pixels[y*f.width*f.channels:][:f.width*f.channels] }
	planes := f.planes
	from, to := 8*planes[0].across*unit, min(8*planes[0].across*(unit+1), f.height)
	for y := from; y < to; y++ {
		row := pixels(y)
		if f.channels == 1 {
			copy(planes[0].samples[y*planes[0].stride:], row)
			continue
		}
		samples := planes[0].samples[y*planes[0].stride:][:f.width]
		for x := range samples {
			samples[x] = brightness(row[3*x : 3*x+3])
		}
		if !f.down {
			for x := range f.width {
				cb, cr := colorParts(row[3*x : 3*x+3])
				planes[1].samples[y*planes[1].stride+x], planes[2].samples[y*planes[2].stride+x] = uint8(cb), uint8(cr)
			}
		}
	}
	if f.down {
		// A sample of color is the mean of four pixels', rounded up and down in turn.
		// At the edge a pixel is repeated.
		for y := from / 2; y < (to+1)/2; y++ {
			upper, lower := pixels(2*y), pixels(min(2*y+1, f.height-1))
			at := y * planes[1].stride
			cbs, crs := planes[1].samples[at:][:planes[1].stride], planes[2].samples[at:][:planes[1].stride]
			for x := range cbs {
				bias := int32(1 + x&1)
				left, right := 3*min(2*x, f.width-1), 3*min(2*x+1, f.width-1)
				cb0, cr0 := colorParts(upper[left : left+3])
				cb1, cr1 := colorParts(upper[right : right+3])
				cb2, cr2 := colorParts(lower[left : left+3])
				cb3, cr3 := colorParts(lower[right : right+3])
				cbs[x] = uint8((cb0 + cb1 + cb2 + cb3 + bias) >> 2)
				crs[x] = uint8((cr0 + cr1 + cr2 + cr3 + bias) >> 2)
			}
		}
	}
	for i := range planes {
		p := &planes[i]
		w, from, to := f.width, from, to
		if f.down && i > 0 {
			w, from, to = p.stride, from/2, (to+1)/2
		}
		for y := from; y < to; y++ {
			row := p.samples[y*p.stride:][:p.stride]
			for x := w; x < p.stride; x++ {
				row[x] = row[w-1]
			}
		}
		for y := to; y < min(8*p.across*(unit+1), 8*p.high); y++ {
			copy(p.samples[y*p.stride:][:p.stride], p.samples[(to-1)*p.stride:])
		}
	}
}

// code codes units from one on, of which a row has so many.
func (f *jpegFile) code(w *bitWriter, from, to, row int) {
	var block [64]int16
	var last [3]int16 // the DC coefficient of the block before, by component
	if from > 0 {
		for i := range f.planes {
			last[i] = f.lastOf(i, (from-1)/row, (from-1)%row)
		}
	}
	for unit := from; unit < to; unit++ {
		y, x := unit/row, unit%row
		for i := range f.planes {
			p := &f.planes[i]
			before := last[i]
			for b := range p.across * p.across {
				var rest uint64
				bx, by := x*p.across+b%p.across, y*p.across+b/p.across
				if bx < p.wide && by < p.high {
					rest = p.transform(&block, bx, by, &f.divisors[p.table])
				} else { // beyond the image, in the image's last color
					block[0] = before
				}
				w.block(&block, rest, before, &f.codes[2*p.table], &f.codes[2*p.table+1])
				before = block[0]
			}
			last[i] = before
		}
	}
}

// lastOf is the DC coefficient of a component's last block in a unit: of those within the
// image, as those beyond it repeat it.
func (f *jpegFile) lastOf(i, y, x int) int16 {
	p := &f.planes[i]
	var block [64]int16
	for b := p.across*p.across - 1; ; b-- {
		if bx, by := x*p.across+b%p.across, y*p.across+b/p.across; bx < p.wide && by < p.high {
			p.transform(&block, bx, by, &f.divisors[p.table])
			return block[0]
		}
	}
}

// transform sets block to the quantized coefficients of a block of samples, in the order of a
// file, and returns which are not 0, by bits.
func (p *plane) transform(block *[64]int16, bx, by int, divisors *vec.Divisors) (nonzero uint64) {
	return vec.Frequencies(block, p.samples[8*by*p.stride+8*bx:], p.stride, divisors)
}

// A bitWriter collects the bits of a piece of a scan.
type bitWriter struct {
	bytes []byte
	at    int
	acc   uint64 // its last n bits, less than 8, are in bytes[at]
	n     uint8
}

// put puts out x, of n bits, at most 56.
func (w *bitWriter) put(x uint64, n uint8) {
	w.acc = w.acc<<(n&63) | x
	n += w.n
	binary.BigEndian.PutUint64(w.bytes[w.at:], w.acc<<(-n&63))
	w.at += int(n >> 3)
	w.n = n & 7
}

// number puts out a code for run and the size of x, and then x.
func (w *bitWriter) number(codes *[256]huffmanCode, run int, x int32) {
	sign := x >> 31
	size := bits.Len32(uint32(x ^ sign - sign))
	c := &codes[(run<<4|size)&255]
	w.put(c.bits|uint64(uint32(x+sign)&(1<<(size&31)-1)), c.n)
}

// block puts out a block's coefficients, of which others than the first are not 0 where rest has
// bits.
func (to *bitWriter) block(block *[64]int16, rest uint64, before int16, first, others *[256]huffmanCode) {
	to.number(first, 0, int32(block[0])-int32(before))
	w, last := *to, 0 // in registers
	for rest &^= 1; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		run := i - last - 1
		for ; run > 15; run -= 16 {
			w.put(others[0xf0].bits, others[0xf0].n)
		}
		last = i
		x := int32(block[i&63])
		sign := x >> 31
		size := bits.Len32(uint32(x ^ sign - sign))
		c := &others[(run<<4|size)&255]
		w.put(c.bits|uint64(uint32(x+sign)&(1<<(size&31)-1)), c.n)
	}
	if last < 63 {
		w.put(others[0].bits, others[0].n)
	}
	to.at, to.acc, to.n = w.at, w.acc, w.n
}

// A merger puts the bits of pieces out one after another, as bytes of the scan.
type merger struct {
	out []byte
	acc uint64 // its last n bits, less than 64, have not been put out yet
	n   uint32
}

func (m *merger) piece(w *bitWriter) {
	b := w.bytes[:w.at]
	m.out = slices.Grow(m.out, len(b)+len(b)/64+16)
	for ; len(b) >= 8; b = b[8:] {
		x := binary.BigEndian.Uint64(b)
		m.word(m.acc<<(64-m.n) | x>>m.n)
		m.acc = x
	}
	for _, x := range b {
		m.put(uint64(x), 8)
	}
	m.put(w.acc&(1<<w.n-1), uint32(w.n))
}

// put puts out x, of n bits, at most 8.
func (m *merger) put(x uint64, n uint32) {
	if m.n += n; m.n < 64 {
		m.acc = m.acc<<n | x
		return
	}
	m.n -= 64
	m.word(m.acc<<(n-m.n) | x>>m.n)
	m.acc = x
}

// word puts out 64 bits.
func (m *merger) word(x uint64) {
	const every = 0x0101010101010101
	if ones := ^x; (ones-every)&^ones&(every<<7) == 0 { // no byte of ones
		m.out = binary.BigEndian.AppendUint64(m.out, x)
		return
	}
	for shift := 56; shift >= 0; shift -= 8 {
		m.byte(byte(x >> shift))
	}
}

// byte puts out a byte of the scan; one of ones is followed by a zero.
func (m *merger) byte(b byte) {
	m.out = append(m.out, b)
	if b == 0xff {
		m.out = append(m.out, 0)
	}
}

// close puts out what is left, and ones up to the end of the byte.
func (m *merger) close() []byte {
	left := -m.n % 8
	m.acc, m.n = m.acc<<left|(1<<left-1), m.n+left
	for ; m.n > 0; m.n -= 8 {
		m.byte(byte(m.acc >> (m.n - 8)))
	}
	return m.out
}
