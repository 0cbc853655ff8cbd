package protocol

import "fmt"

// A Config is what all processes of a cluster agree on.
type Config struct {
	// Patience is after how many beats without a sign a link is lost; at least 6. A message
	// that is lost is sent again after two, and acknowledged after one more.
	Patience int
	// Window is how many bytes of tensors a worker may send to another one before they
	// are consumed. A single larger tensor may be sent when there is any credit.
	Window int64
	// MaxSteps is how many steps a worker or a master may have at a time; 0 is no limit.
	MaxSteps int
	// Dials reports which of two workers dials the other one, on which both must agree; nil:
	// the one of the lower address.
	Dials func(self, other Peer) bool
	// Name returns what errors call a process; nil for its number.
	Name func(Peer) string
}

func (c *Config) name(p Peer) string {
	if c.Name == nil {
		return fmt.Sprint(p)
	}
	return c.Name(p)
}

func (c *Config) dials(self, other Peer) bool {
	if c.Dials == nil {
		return self < other
	}
	return c.Dials(self, other)
}

const minPatience = 6

func (c *Config) patience() int { return max(c.Patience, minPatience) }
