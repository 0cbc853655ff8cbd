package image

// overlapping tells how much boxes overlap those that were taken.
type overlapping interface {
	// begin forgets those that were taken, and makes room for as many.
	begin(most int)
	// take adds a box to them.
	take(box int)
	// overlap returns how much a box overlaps the j-th that was taken.
	overlap(box, j int) float32
	// overlapsMore reports whether a box overlaps one of them by more than iou, which is not
	// negative or, of a matrix, any number.
	overlapsMore(box int, iou float32) bool
}

// A matrix has how much each pair of n boxes overlaps.
type matrix struct {
	overlaps []float32
	n        int
	taken    []int
}

func (m *matrix) begin(most int) { m.taken = make([]int, 0, most) }

func (m *matrix) take(box int) { m.taken = append(m.taken, box) }

func (m *matrix) overlap(box, j int) float32 { return m.overlaps[box*m.n+m.taken[j]] }

func (m *matrix) overlapsMore(box int, iou float32) bool {
	for _, other := range m.taken {
		if m.overlaps[box*m.n+other] > iou {
			return true
		}
	}
	return false
}

// Corners are boxes by any two opposite corners; what they overlap is their intersection
// divided by their union.
type corners struct {
	boxes []float32
	taken []rectangle
}

type rectangle struct{ top, left, bottom, right, area float32 }

func (c *corners) rectangle(box int) rectangle {
	b := c.boxes[4*box : 4*box+4]
	r := rectangle{top: min(b[0], b[2]), left: min(b[1], b[3]), bottom: max(b[0], b[2]), right: max(b[1], b[3])}
	r.area = (r.bottom - r.top) * (r.right - r.left)
	return r
}

func (c *corners) begin(most int) { c.taken = make([]rectangle, 0, most) }

func (c *corners) take(box int) { c.taken = append(c.taken, c.rectangle(box)) }

func (c *corners) overlap(box, j int) float32 {
	a, b := c.rectangle(box), &c.taken[j]
	if a.area <= 0 || b.area <= 0 {
		return 0
	}
	both := max(min(a.bottom, b.bottom)-max(a.top, b.top), 0) * max(min(a.right, b.right)-max(a.left, b.left), 0)
	return both / (a.area + b.area - both)
}

// overlapsMore is overlap for most pairs of boxes, which have nothing in common, without its
// division. A box with an area has no corner that is not a number.
func (c *corners) overlapsMore(box int, iou float32) bool {
	a := c.rectangle(box)
	if !(a.area > 0) {
		return false
	}
	for i := range c.taken {
		b := &c.taken[i]
		bottom, top, right, left := a.bottom, a.top, a.right, a.left
		if b.bottom < bottom {
			bottom = b.bottom
		}
		if b.top > top {
			top = b.top
		}
		if !(bottom > top) {
			continue
		}
		if b.right < right {
			right = b.right
		}
		if b.left > left {
			left = b.left
		}
		if !(right > left) || !(b.area > 0) {
			continue
		}
		both := (bottom - top) * (right - left)
		if both/(a.area+b.area-both) > iou {
			return true
		}
	}
	return false
}
