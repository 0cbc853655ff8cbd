package graph

import (
	"fmt"
	"slices"
	"sort"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// The versions of the GraphDef format. Version is what this package writes and
// understands (TensorFlow 2.21's), MinProducer the oldest it reads, and
// functionConsumer the first consumer that knew functions.
const (
	Version     = 2474
	MinProducer = 0

	functionConsumer = 12

	// lead is how much newer a producer may be with its graphs still being
	// readable: TensorFlow counts versions by the day and promises three weeks.
	lead = 21
)

// Field numbers of a VersionDef.
const versionProducer, versionMinConsumer, versionBadConsumers = 1, 2, 3

// Versions says who made a graph and who may read it: it was written by the
// format's version Producer, and is for readers from version MinConsumer on,
// save the BadConsumers.
type Versions struct {
	Producer     int
	MinConsumer  int
	BadConsumers []int // ascending
}

// check reports whether this package may read a graph of these versions.
func (v Versions) check() error {
	switch {
	case v.Producer < MinProducer:
		return status.Invalid("GraphDef producer version %d below min producer %d, the oldest that can be read: write the graph again with a newer producer",
			v.Producer, MinProducer)
	case v.MinConsumer > Version:
		return status.Invalid("GraphDef min consumer version %d above current version %d: the graph needs a newer reader", v.MinConsumer, Version)
	case slices.Contains(v.BadConsumers, Version):
		return status.Invalid("GraphDef disallows consumer version %d, which is this one", Version)
	}
	return nil
}

// blame adds to the error of an import that the producer may be too new.
func (v Versions) blame(err error) error {
	if v.Producer <= Version+lead {
		return err
	}
	e := *status.From(err)
	e.Message = fmt.Sprintf("%s (the GraphDef was produced by version %d of its format, much newer than the %d that is known here, which may be the reason)",
		e.Message, v.Producer, Version)
	return &e
}

// combine returns the versions of a graph of versions v into which one of versions
// w has been imported.
func (v Versions) combine(w Versions) Versions {
	bad := slices.Concat(v.BadConsumers, w.BadConsumers)
	sort.Ints(bad)
	return Versions{
		Producer:     min(v.Producer, w.Producer),
		MinConsumer:  max(v.MinConsumer, w.MinConsumer),
		BadConsumers: slices.Compact(bad),
	}
}

// merge reads a VersionDef into v.
func (v *Versions) merge(c wire.Cursor) error {
	for c.Next() {
		switch {
		case c.IsVarint(versionProducer):
			v.Producer = int(int32(c.Value))
		case c.IsVarint(versionMinConsumer):
			v.MinConsumer = int(int32(c.Value))
		case c.IsVarint(versionBadConsumers), c.IsBytes(versionBadConsumers):
			n := c.Numbers(protowire.VarintType)
			for n.Next() {
				v.BadConsumers = append(v.BadConsumers, int(int32(n.Value)))
			}
			if err := n.Err(); err != nil {
				return err
			}
		}
	}
	return c.Err()
}

// Append adds the VersionDef to b, without tag.
func (v Versions) Append(b []byte) []byte {
	varint := func(num protowire.Number, x int) {
		if x != 0 {
			b = wire.AppendNumber(b, num, uint64(int64(x)))
		}
	}
	varint(versionProducer, v.Producer)
	varint(versionMinConsumer, v.MinConsumer)
	if len(v.BadConsumers) > 0 {
		var packed []byte
		for _, x := range v.BadConsumers {
			packed = protowire.AppendVarint(packed, uint64(int64(x)))
		}
		b = wire.AppendField(b, versionBadConsumers, packed)
	}
	return b
}
