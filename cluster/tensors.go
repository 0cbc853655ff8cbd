package cluster

import (
	"context"
	"math"

	"github.com/troupe-go/troupe/actors/remote"
	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// An item is a tensor in a parcel, with its place among a step's feeds or fetches.
type item struct {
	at    int
	dead  bool
	value tensor.Value // zero if dead
	stats []byte       // instead: what nodes cost, among fetches
}

// The forms of a tensor.
const (
	formDead  byte = iota
	formRaw        // the elements as they lie in memory, little-endian
	formProto      // a serialized TensorProto
	formStats      // what nodes cost
)

// pack makes a parcel of tensors, which must not change from now on.
func pack(step protocol.StepID, items []item) (*parcel, int64, error) {
	p := &parcel{step: step}
	e := encoder{make([]byte, 0, 32)}
	e.uint(uint64(len(items)))
	var size int64
	for i := range items {
		it := &items[i]
		e.uint(uint64(it.at))
		if it.stats != nil {
			e.byte(formStats)
			e.uint(uint64(len(it.stats)))
			p.buffers = append(p.buffers, it.stats)
			size += int64(len(it.stats))
			continue
		}
		if it.dead || it.value.IsZero() {
			e.byte(formDead)
			continue
		}
		dt := it.value.DType()
		if dt.HasPointers() || dt.IsRef() {
			b, err := marshal(it.value)
			if err != nil {
				return nil, 0, err
			}
			e.byte(formProto)
			e.uint(uint64(len(b)))
			p.buffers = append(p.buffers, b)
			size += int64(len(b))
			continue
		}
		e.byte(formRaw)
		e.uint(uint64(dt))
		e.uint(uint64(it.value.Rank()))
		for _, d := range it.value.Dims() {
			e.uint(uint64(d))
		}
		b := tensor.Bytes(&it.value)
		if it.value.Plain() { // its bytes lie within the item
			b = append([]byte(nil), b...)
		}
		p.buffers = append(p.buffers, b)
		size += int64(len(b))
	}
	p.head = e.b
	return p, size + 64, nil
}

// marshal serializes a tensor with pointers.
func marshal(v tensor.Value) ([]byte, error) {
	t := v.Tensor()
	switch v.DType() {
	case tensor.Variant:
		return tensorproto.MarshalVariants(t, nil)
	}
	return tensorproto.Marshal(t)
}

// recovered makes a panic, which a message of another process may have caused, an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = status.Errorf(status.Internal, "panicked: %v", r)
	}
}

// unpack makes tensors of what has come, fetched if need be, within a budget.
func unpack(ctx context.Context, e *remote.Endpoint, budget *tensor.Budget, a *arrival) (items []item, err error) {
	defer recovered(&err)
	if a == nil {
		return nil, nil
	}
	if err := budget.Charge(int64(a.total)); err != nil {
		return nil, err
	}
	defer budget.Release(int64(a.total)) // the step charges what it keeps
	head, err := a.headOf(ctx, e)
	if err != nil {
		return nil, err
	}
	d := decoder{b: head}
	items = make([]item, d.count(2))
	buffers := make([][]byte, 0, len(items))
	left := a.total
	var later []int // of those that are messages
	for i := range items {
		it := &items[i]
		it.at = int(min(d.uint(), math.MaxInt32))
		switch d.byte() {
		case formDead:
			it.dead = true
		case formRaw:
			dt := tensor.DType(d.uint())
			dims := make([]int64, d.count(1))
			for k := range dims {
				dims[k] = int64(min(d.uint(), math.MaxInt64))
			}
			if d.err != nil {
				return nil, d.err
			}
			v, b, err := allocate(dt, dims, left)
			if err != nil {
				return nil, err
			}
			it.value = v
			left -= len(b)
			if v.Plain() {
				later = append(later, i)
			}
			buffers = append(buffers, b)
		case formProto:
			n := d.uint()
			if n > uint64(left) {
				d.fail()
				break
			}
			left -= int(n)
			later = append(later, i)
			buffers = append(buffers, make([]byte, n))
		case formStats:
			n := d.uint()
			if n > uint64(left) {
				d.fail()
				break
			}
			left -= int(n)
			it.stats = make([]byte, n)
			buffers = append(buffers, it.stats)
		default:
			d.fail()
		}
		if d.err != nil {
			return nil, d.err
		}
	}
	own := append([][]byte(nil), buffers...)
	if err := a.fill(ctx, e, buffers); err != nil {
		return nil, err
	}
	k := 0
	for i := range items {
		if items[i].dead {
			continue
		}
		if len(later) > 0 && later[0] == i {
			later = later[1:]
			if err := items[i].read(own[k], budget); err != nil {
				return nil, err
			}
		}
		k++
	}
	return items, nil
}

// read makes a tensor of its bytes.
func (it *item) read(b []byte, budget *tensor.Budget) error {
	if !it.value.IsZero() { // a small scalar, which has no memory of its own
		copy(tensor.Bytes(&it.value), b)
		return nil
	}
	t, err := tensorproto.Unmarshal(b, 0)
	if err != nil {
		return err
	}
	it.value = tensor.ValueOf(t)
	if it.value.DType() == tensor.Variant {
		it.value, err = tensor.DecodeVariants(it.value)
	}
	return err
}

// allocate makes a tensor of a type without pointers that takes at most some bytes, and
// returns the memory of its elements.
func allocate(dt tensor.DType, dims []int64, most int) (tensor.Value, []byte, error) {
	bad := func() error {
		return status.Errorf(status.DataLoss, "a tensor of type %v and shape %v takes more than the %d bytes that came", dt, dims, most)
	}
	if !dt.Valid() || dt.HasPointers() || dt.IsRef() || dt.Size() == 0 {
		return tensor.Value{}, nil, status.Errorf(status.DataLoss, "a tensor of type %v has no elements of a fixed size", dt)
	}
	n := int64(1)
	for _, d := range dims {
		if d < 0 || d > 0 && n > math.MaxInt64/d {
			return tensor.Value{}, nil, bad()
		}
		n *= d
	}
	if n > int64(most)/int64(dt.Size()) {
		return tensor.Value{}, nil, bad()
	}
	if len(dims) == 0 && dt.Size() <= 8 { // it lies within the value
		return tensor.Descriptor(dt), make([]byte, dt.Size()), nil
	}
	t, err := tensor.New(dt, dims...)
	if err != nil {
		return tensor.Value{}, nil, err
	}
	v := tensor.ValueOf(t)
	return v, tensor.Bytes(&v), nil
}
