package code

import (
	"fmt"
	"math/bits"
)

// A team is how the threads of a group share out the elements of folds: each fold has as
// many of them, its lanes, which take elements in turn, and then join what they have in a
// tree, so that the answer depends on shapes alone. A group has as many folds side by side
// as there is room for.
type team struct {
	lanes  int  // of group; a power of two
	beside bool // neighbours in a group are lanes of a fold; otherwise they are of folds side by side
}

// alongRows returns the team for n folds of count elements that are neighbours in memory: of few
// lanes, which join soonest, but of more where folds are too few for a large GPU's threads.
func alongRows(n, count int64) team {
	lanes := power(count/leastTurns, 32)
	for lanes < group && int64(lanes)*n < enoughThreads && int64(lanes) < count/leastTurns {
		lanes *= 2
	}
	return team{lanes, true}
}

// acrossRows returns the team for folds that are neighbours in memory themselves.
func acrossRows(folds int64) team { return team{group / power(folds, 32), false} }

// power returns the least power of two that is not below n, at most most.
func power(n int64, most int) int {
	if n >= int64(most) {
		return most
	}
	return 1 << bits.Len64(uint64(max(n, 1)-1))
}

// folds returns how many a group has.
func (t team) folds() int64 { return int64(group / t.lanes) }

// groups returns how many groups are worth starting for n folds.
func (t team) groups(n int64) int { return int(min(ceil(n, t.folds()), mostGroups)) }

// teamParameters are what args gives, and teamBegin declares lane, of so many lanes, and
// fold, of so many folds, and the memory that lanes share. A function is launched in groups
// of group threads.
const teamParameters = ", i64 team_lanes, i64 team_beside"

func (t team) args(c *call) *call {
	return c.i64(int64(bits.Len(uint(t.lanes))-1), int64(btoi(t.beside)))
}

const teamBegin = `  LOCAL T parts[256];
  i32 me = THREAD(0), lanes = 1 << (i32)team_lanes, folds = 256 >> (i32)team_lanes;
  i32 lane = team_beside ? me & (lanes - 1) : me >> (8 - (i32)team_lanes), fold = team_beside ? me >> (i32)team_lanes : me & (folds - 1);
`

// together joins the value that each lane has; then all lanes of a fold have the whole.
func together(join, value string) string {
	return fmt.Sprintf(`    parts[lane * folds + fold] = %[2]s;
    BARRIER();
    for (i32 half_ = lanes / 2; half_ > 0; half_ /= 2) {
      if (lane < half_) parts[lane * folds + fold] = %[1]s(parts[lane * folds + fold], parts[(lane + half_) * folds + fold]);
      BARRIER();
    }
    %[2]s = parts[fold];
    BARRIER();
`, join, value)
}

// teamSize is the size of groups, TEAM, that all work on one fold; teamwork joins the value
// that each thread, me, of such a group has.
const teamSize = 64

func teamwork(join, value string) string {
	return fmt.Sprintf(`    parts[me] = %[2]s;
    BARRIER();
    for (i32 half_ = TEAM / 2; half_ > 0; half_ /= 2) {
      if (me < half_) parts[me] = %[1]s(parts[me], parts[me + half_]);
      BARRIER();
    }
    %[2]s = parts[0];
    BARRIER();
`, join, value)
}

// Where folds are few and long they are split, until there are as many groups as a large
// GPU has room for; the parts are joined by another launch.
const (
	enoughGroups  = 256
	enoughThreads = enoughGroups * group
	leastTurns    = 8 // of a lane
	mostSplits    = 256
)

// splits is in how many parts n folds of count elements are computed.
func (t team) splits(n, count int64) int64 {
	groups := ceil(max(n, 1), t.folds())
	return max(1, min(enoughGroups/groups, count/int64(leastTurns*t.lanes), mostSplits))
}
