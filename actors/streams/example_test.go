package streams_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
)

// Works are handed over one after another; the device waits where it must, and the
// host does not.
func Example() {
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
		return emulated.New(emulated.Options{Seed: 1}), nil
	}, streams.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	ctx := context.Background()
	x, _ := d.Alloc(ctx, 8)
	z, _ := d.Alloc(ctx, 8)
	d.Write(context.Background(), x, encode([]uint32{1, 2}))
	d.Launch(mixing(x, x, z, 2)) // z = x + 3x
	d.Read(context.Background(), z, 8, func(b []byte, err error) { fmt.Println(decode(b), err) })
	x.Release() // the device may still be at it
	fmt.Println(d.Wait(ctx))
	// Output:
	// [4 8] <nil>
	// <nil>
}
