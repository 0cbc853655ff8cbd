package resource

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

type handled struct{ *Queue }

func TestUses(t *testing.T) {
	m := NewManager()
	m.Budget = tensor.NewBudget(1 << 20)
	q, err := LookupOrCreate(m, "", "jobs", func() (handled, error) {
		return handled{NewQueue(m, QueueOptions{Kind: "FIFOQueue", Types: []tensor.DType{tensor.Int32}, Capacity: 3, Order: NewFIFO(1)})}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	q.Enqueue(context.Background(), []tensor.Value{tensor.Scalar(int32(1))}, func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	uses := m.Uses()
	if len(uses) != 1 || uses[0].Name != (Name{DefaultContainer, "jobs"}) || uses[0].Kind != "FIFOQueue" || uses[0].Elements != 1 || uses[0].Capacity != 3 || uses[0].Closed {
		t.Errorf("%+v", uses)
	}
}
