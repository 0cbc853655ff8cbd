package frames

// A Static is what a program knows of one frame: the layout of an iteration.
// Index 0 of a program's frames is the root.
type Static struct {
	Name   string
	Index  int
	Parent int // index of the enclosing frame; -1 for the root

	Nodes int // nodes in the frame; they are numbered from 0 in it
	Slots int // their inputs all together

	// First and Later are the counts an iteration begins with, the first and
	// every other one: for each node twice the number of inputs it waits for.
	First, Later []uint32

	Frames int // frames right below this one
	Place  int // number of this one among its parent's

	Enters   int // Enter nodes that name this frame
	Exits    int // Exit nodes that leave it
	Parallel int // at most so many iterations at a time, at least 1
}

// Number gives each of a program's frames its place among those of its parent.
func Number(statics []*Static) {
	for _, s := range statics {
		s.Frames = 0
	}
	for _, s := range statics {
		if s.Parent >= 0 {
			parent := statics[s.Parent]
			s.Place = parent.Frames
			parent.Frames++
		}
	}
}
