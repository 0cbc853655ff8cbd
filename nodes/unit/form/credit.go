package form

// A credit bounds what a unit may cost to make. Work is in steps of a few
// nanoseconds, and what a program gets is in proportion to its size, so that a
// graph made to be slow is played by tokens instead.
type Credit struct {
	left  int
	until int          // when to ask next
	ask   func() error // nil, or why the work should end
	Err   error
}

// askEvery is how many steps pass between two questions: some tens of
// microseconds.
const askEvery = 1 << 14

// spend notes n steps of work.
func (c *Credit) Spend(n int) {
	c.left -= n
	if c.left < c.until {
		c.pause()
	}
}

func (c *Credit) pause() {
	c.until = c.left - askEvery
	if c.ask != nil && c.Err == nil {
		if c.Err = c.ask(); c.Err != nil {
			c.left = 0
		}
	}
}

// spent reports whether the work must end.
func (c *Credit) Spent() bool { return c.left <= 0 }
