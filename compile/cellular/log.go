package cellular

import (
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/tensor"
)

// cuts is what the iterations of one caller have for its kept values: of each cut the rows, one
// after another.
type cuts struct {
	of      [][]byte
	charged int64
}

// add appends row i of each cut. It fails where there is no memory for them.
func (c *cuts) add(budget *tensor.Budget, from []tensor.Value, i int) error {
	if c.of == nil {
		c.of = make([][]byte, len(from))
	}
	for k := range from {
		all := tensor.Bytes(&from[k])
		size := len(all) / int(from[k].Dims()[0])
		list := c.of[k]
		if len(list)+size > cap(list) {
			grown := max(2*cap(list), 16*size)
			if err := budget.Charge(int64(grown - cap(list))); err != nil {
				return err
			}
			c.charged += int64(grown - cap(list))
			list = append(make([]byte, 0, grown), list...)
		}
		c.of[k] = append(list, all[i*size:(i+1)*size]...)
	}
	return nil
}

// take returns the rows of each cut as one tensor.
func (c *cuts) take(budget *tensor.Budget, of []batching.Cut) ([]tensor.Value, error) {
	list := make([]tensor.Value, len(of))
	for k, cut := range of {
		dims := append([]int64{0}, cut.Shape...)
		if c.of != nil {
			size := int64(cut.Type.Size())
			for _, d := range cut.Shape {
				size *= d
			}
			dims[0] = int64(len(c.of[k])) / size
		}
		t, err := tensor.New(cut.Type, dims...)
		if err != nil {
			return nil, err
		}
		list[k] = tensor.ValueOf(t)
		bytes := list[k].TotalBytes()
		if err := budget.Charge(bytes); err != nil {
			return nil, err
		}
		c.charged += bytes
		if c.of != nil {
			copy(tensor.Bytes(&list[k]), c.of[k])
		}
	}
	return list, nil
}

// drop takes the rows off the account.
func (c *cuts) drop(budget *tensor.Budget) {
	budget.Release(c.charged)
	*c = cuts{}
}
