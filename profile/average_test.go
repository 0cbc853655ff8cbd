package profile_test

import (
	"testing"

	"github.com/troupe-go/troupe/profile"
)

func TestAverage(t *testing.T) {
	for _, c := range []struct {
		old   uint32
		nanos int64
		want  uint32
	}{
		{0, 1000, 1000},
		{0, 0, 1},
		{0, 1 << 40, 1 << 31},
		{1000, 2000, 1250},
		{1000, 1 << 40, 1750}, // preempted
		{1000, 125, 125},      // the input has become small
		{1000, 126, 781},
		{1, 1, 1},
	} {
		if got := profile.Average(c.old, c.nanos); got != c.want {
			t.Errorf("Average(%d, %d) = %d, want %d", c.old, c.nanos, got, c.want)
		}
	}
}
