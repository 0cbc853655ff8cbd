package batching

// A Role is what a value in a loop is to the batch.
type Role uint8

const (
	Invariant Role = iota // the same for all callers
	Row                   // of the caller, and part of the batch
	Kept                  // of the caller, outside of the batch
	Table                 // of the caller, and read element by element; see [Recursion]
)

// String returns the role in a word.
func (r Role) String() string {
	switch r {
	case Invariant:
		return "invariant"
	case Row:
		return "row"
	case Table:
		return "table"
	}
	return "kept"
}
