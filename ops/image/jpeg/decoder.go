package jpeg

// Options say how to decode.
type Options struct {
	Channels int  // 1 or 3; 0 for 1 where the file is gray, else 3
	Ratio    int  // 1, 2, 4 or 8: by how much the image becomes smaller; 0 is 1
	Fancy    bool // colors are interpolated, not repeated
	Accurate bool // the more exact transform
	Recover  bool // a file that ends early is decoded as far as it goes
	// Crop, unless it is empty, is the part of the image that is wanted.
	Crop struct{ Y, X, Height, Width int }
	Pool Pool // who works; nil for the caller alone
}

// A Pool shares out work, as kernel.Pool has it.
type Pool interface {
	Parallel(n, grain int, f func(lo, hi int))
	Workers() int
}

// An Image is a file whose head has been read.
type Image struct {
	Height, Width, Channels int // of the result
	Progressive             bool
	// FullHeight and FullWidth are those of the image before it is cropped.
	FullHeight, FullWidth int

	d *decoder
}

// blocks returns where the blocks of a row of units begin.
func (c *component) blocks(row int) int { return row * c.down % c.blockRows }

// row returns a row of samples.
func (c *component) row(y int) []uint8 { return c.samples[y%c.rows*c.stride:] }

// A component is one of the kinds of samples of an image.
type component struct {
	id           byte
	index        int
	across, down int // samples in each direction for those of the image
	table        byte
	divisors     *[64]uint16 // as they were when its first scan began
	scale        scale
	transform    func(b *[64]int16, s *scale, to []uint8, stride int)
	size         int // samples of a block in each direction

	wide, high    int     // blocks that have a part in the image
	stride        int     // of a row of samples, whose blocks are those of whole units
	samples       []uint8 // of the rows of units that are in work
	rows          int     // of samples
	blockRow      int     // blocks in a row of coefficients
	blockRows     int     // of the rows of units whose coefficients are there
	coefficients  []int16
	lasts         []uint8 // of each block, where there is one scan
	width, height int     // samples that have a part in the image
	dc, ac        byte
	dcCodes       *huffman
	acCodes       *huffman
	used          bool // by the result
	from, wanted  int  // samples of each row that the result needs
	smooth        bool // rows are wide enough to be interpolated
}

type decoder struct {
	bits
	options       Options
	begun         bool
	height, width int
	across, down  int  // the most samples of a component
	size          int  // samples of a block of the components that have the most
	left          int  // where lines begin
	neighbors     bool // lines are interpolated from rows of units above and below
	components    []component
	progressive   bool
	many          bool // scans
	jfif, adobe   bool
	transform     byte // of colors, according to Adobe's segment
	codes         [2][4]*Codes
	tables        [4]struct {
		divisors [64]uint16
		set      bool
	}
	restart int // units between restarts, 0 for none

	// The scan that is read.
	scan                []*component
	scans               int
	from, to, high, low int
	owners              []*component // of the blocks of a unit
	blocks              []*[64]int16
	lasts               []uint8   // the last coefficient that may not be zero, in the file's order
	pred                [16]int32 // the constants before
	untilRestart        int
	nextRestart         int
	endRun              int // blocks, of which no more is read
}

// Colors.
const (
	gray = iota
	rgb
	ycc // brightness and color
	cmyk
	ycck
	unknown
)

func (d *decoder) colors() int {
	switch len(d.components) {
	case 1:
		return gray
	case 3:
		a, b, c := d.components[0].id, d.components[1].id, d.components[2].id
		switch {
		case d.jfif:
			return ycc
		case d.adobe && d.transform == 0:
			return rgb
		case d.adobe:
			return ycc
		case a == 'R' && b == 'G' && c == 'B':
			return rgb
		}
		return ycc
	case 4:
		if d.adobe && d.transform != 0 {
			return ycck
		}
		return cmyk
	}
	return unknown
}
