package tensor

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
)

func TestGathering(t *testing.T) {
	for _, pieces := range [][]int{nil, {1}, {512}, {500, 20}, {3, 1 << 21, 5}, {1 << 20}, {100, 0, 100, 5000}} {
		b := NewBudget(0)
		g := TextBuilder{Budget: b}
		want := ""
		for i, n := range pieces {
			piece := strings.Repeat(string(rune('a'+i)), n)
			want += piece
			if k, err := g.Write([]byte(piece)); k != n || err != nil {
				t.Fatal(k, err)
			}
			if g.Len() != len(want) || b.Used() < int64(len(want)) {
				t.Errorf("%v: %d bytes have come, %d are charged", pieces, g.Len(), b.Used())
			}
		}
		got, err := g.Text()
		if err != nil || got != want {
			t.Errorf("%v: %d bytes, %v", pieces, len(got), err)
		}
		if used := b.Used(); used < int64(len(want)) || used > int64(len(want)+len(want)/4) {
			t.Errorf("%v: %d bytes are charged for a text of %d", pieces, used, len(want))
		}
		if g.Close(); b.Used() != 0 {
			t.Errorf("%v: %d bytes are left on the account", pieces, b.Used())
		}
	}
}

func TestGatheringBeyondTheBudget(t *testing.T) {
	b := NewBudget(10 << 20)
	g := TextBuilder{Budget: b}
	piece := make([]byte, 1<<12)
	var err error
	for err == nil {
		_, err = g.Write(piece)
	}
	if status.CodeOf(err) != status.ResourceExhausted || g.Len() > 10<<20 || g.Len() < 8<<20 {
		t.Errorf("%d bytes and %v", g.Len(), err)
	}
	if _, err := g.Text(); status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("a text beyond the budget: %v", err)
	}
	if g.Close(); b.Used() != 0 {
		t.Errorf("%d bytes are left on the account", b.Used())
	}
}
