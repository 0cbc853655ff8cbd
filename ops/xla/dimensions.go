package xla

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Dimension numbers come as serialized messages of XLA: fields of lists of
// dimensions, packed or not.

// dimensionLists reads the lists of a message, by their field numbers.
func dimensionLists(message, text string) (map[protowire.Number][]int64, error) {
	lists := map[protowire.Number][]int64{}
	c := wire.NewCursor(message, []byte(text))
	for c.Next() {
		if c.Type != protowire.VarintType && c.Type != protowire.BytesType {
			continue
		}
		n := c.Numbers(protowire.VarintType)
		for n.Next() {
			lists[c.Num] = append(lists[c.Num], int64(n.Value))
		}
		if err := n.Err(); err != nil {
			return nil, err
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return lists, nil
}

// among fails unless all dimensions are below rank and occur once; what names
// them.
func among(dims []int64, rank int, what string) error {
	seen := map[int64]bool{}
	for _, d := range dims {
		if d < 0 || d >= int64(rank) {
			return status.Invalid("%s names dimension %d of a tensor of rank %d", what, d, rank)
		}
		if seen[d] {
			return status.Invalid("%s names dimension %d twice", what, d)
		}
		seen[d] = true
	}
	return nil
}
