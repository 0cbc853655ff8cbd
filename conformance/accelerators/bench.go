package accelerators

import (
	"context"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/tensor"
)

// A Bench is a device on which code is tried out.
type Bench struct {
	Device *streams.Device
	close  func() error
}

// Open puts actors before a driver.
func Open(driver devices.Accelerator) (*Bench, error) {
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) { return driver, nil }, streams.Options{})
	if err != nil {
		return nil, err
	}
	return &Bench{d, d.Close}, nil
}

// Close closes the device.
func (b *Bench) Close() error { return b.close() }

// patience is how long a device may take for one operation, with its compiler.
const patience = 5 * time.Minute

// Place brings a tensor to the device.
func (b *Bench) Place(ctx context.Context, t *tensor.Tensor) (code.Array, error) {
	m, err := b.Device.Alloc(ctx, int64(t.SizeBytes()))
	if err != nil {
		return code.Array{}, err
	}
	v := tensor.ValueOf(t)
	if err := b.Device.Write(ctx, m, tensor.Bytes(&v)); err != nil {
		return code.Array{}, err
	}
	return code.Array{Buffer: m, Type: t.DType(), Dims: t.Dims()}, nil
}

// Blank returns an array of the device, with anything in it.
func (b *Bench) Blank(ctx context.Context, dt tensor.DType, dims []int64) (code.Array, error) {
	n, err := tensor.NumElements(dt, dims)
	if err != nil {
		return code.Array{}, err
	}
	m, err := b.Device.Alloc(ctx, int64(n*dt.Size()))
	return code.Array{Buffer: m, Type: dt, Dims: dims}, err
}

// Fetch brings an array back.
func (b *Bench) Fetch(ctx context.Context, a code.Array) (*tensor.Tensor, error) {
	t, err := tensor.New(a.Type, a.Dims...)
	if err != nil || t.NumElements() == 0 {
		return t, err
	}
	v := tensor.ValueOf(t)
	done := make(chan error, 1)
	var inside []byte // of scalars, which a Value holds itself
	if err := b.Device.Read(ctx, a.Buffer.(*streams.Memory), int64(t.SizeBytes()), func(from []byte, err error) {
		if t.Dims() == nil || len(t.Dims()) == 0 {
			inside = append(inside, from...)
		} else {
			copy(tensor.Bytes(&v), from)
		}
		done <- err
	}); err != nil {
		return nil, err
	}
	select {
	case err := <-done:
		if err == nil && inside != nil {
			copy(tensor.Bytes(&v), inside)
			return v.Tensor(), nil
		}
		return t, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A writing says how outputs are computed from inputs.
type writing func(out, in []code.Array) ([]devices.Launch, error)

// A need says what memory a writing needs beside, which it gets behind the outputs if there
// is any.
type need func(out, in []code.Array) code.Array

// Run computes tensors of the given types and shapes on the device.
func (b *Bench) Run(in, out []*tensor.Tensor, beside need, write writing) ([]*tensor.Tensor, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var ins, outs []code.Array
	defer func() {
		for _, a := range append(ins, outs...) {
			if a.Buffer != nil {
				a.Buffer.Release()
			}
		}
	}()
	for _, t := range in {
		a, err := b.Place(ctx, t)
		if err != nil {
			return nil, err
		}
		ins = append(ins, a)
	}
	for _, t := range out {
		a, err := b.Blank(ctx, t.DType(), t.Dims())
		if err != nil {
			return nil, err
		}
		outs = append(outs, a)
	}
	all := outs
	if beside != nil {
		if s := beside(outs, ins); s.Elements() > 0 {
			a, err := b.Blank(ctx, s.Type, s.Dims)
			if err != nil {
				return nil, err
			}
			defer a.Buffer.Release()
			all = append(all[:len(all):len(all)], a)
		}
	}
	launches, err := write(all, ins)
	if err != nil {
		return nil, err
	}
	for i := range launches {
		if err := b.Device.Launch(&launches[i]); err != nil {
			return nil, err
		}
	}
	var results []*tensor.Tensor
	for i, a := range outs {
		t, err := b.Fetch(ctx, a)
		if err != nil {
			return nil, fmt.Errorf("output %d: %w", i, err)
		}
		results = append(results, t)
	}
	return results, nil
}
