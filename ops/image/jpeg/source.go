package jpeg

import "errors"

// errCut says that a file ends where more is needed, in the middle of what is read as
// one piece. What has been read before stands.
var errCut = errors.New("the file ends early")

// errEnd says that a file ends between two such pieces.
var errEnd = errors.New("the file ends without an end marker")

// mostReplays bounds how often one piece is read from its beginning.
const mostReplays = 1 << 14

// A source is the bytes of a file. What is read becomes final piece by piece: a marker
// with its segment, or the blocks of one unit of a scan.
type source struct {
	data string
	at   int // the next byte
	mark int // where the piece begins
	// recover: a file that ends early is given an end marker, and if it ends within a
	// piece the piece's bytes come again, as they do in TensorFlow.
	recover bool
	ended   bool // data is that end marker
	replays int
}

// settle ends a piece.
func (s *source) settle() { s.mark, s.replays = s.at, 0 }

// refill is called when all bytes have been read and more are wanted.
func (s *source) refill() error {
	switch {
	case s.mark < len(s.data):
		if s.replays++; !s.recover || s.replays > mostReplays {
			return errCut
		}
		s.at = s.mark
	case s.ended || !s.recover:
		return errEnd
	default:
		s.data, s.at, s.mark, s.ended = "\xff\xd9", 0, 0, true
	}
	return nil
}

func (s *source) byte() (byte, error) {
	if s.at == len(s.data) {
		if err := s.refill(); err != nil {
			return 0, err
		}
	}
	b := s.data[s.at]
	s.at++
	return b, nil
}

func (s *source) uint16() (int, error) {
	hi, err := s.byte()
	if err != nil {
		return 0, err
	}
	lo, err := s.byte()
	return int(hi)<<8 | int(lo), err
}

// skip passes over bytes, of which there may be fewer.
func (s *source) skip(n int) {
	s.at = min(s.at+n, len(s.data))
	s.settle()
}

// nextMarker finds the next marker, whatever stands before it.
func (s *source) nextMarker() (byte, error) {
	for {
		b, err := s.byte()
		for err == nil && b != 0xff {
			s.settle()
			b, err = s.byte()
		}
		for err == nil && b == 0xff {
			b, err = s.byte()
		}
		if err != nil {
			return 0, err
		}
		if b != 0 {
			s.settle()
			return b, nil
		}
		s.settle()
	}
}
