package transport

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels are for pieces of a program that are played apart; where they are played
// side by side, the step hands tokens over itself.

func init() {
	for _, op := range []string{"_Send", "_HostSend"} {
		kernel.Register(kernel.Registration{Op: op, HostMemory: hostMemory(op, "tensor"), Holders: true, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			return send{keyOf(c)}, nil
		}})
	}
	for _, op := range []string{"_Recv", "_HostRecv"} {
		kernel.Register(kernel.Registration{Op: op, HostMemory: hostMemory(op, "tensor"), New: func(c *kernel.Construction) (kernel.Kernel, error) {
			return recv{keyOf(c), c.Type("tensor_type")}, nil
		}})
	}
}

func hostMemory(op, arg string) []string {
	if op == "_HostSend" || op == "_HostRecv" {
		return []string{arg}
	}
	return nil
}

func keyOf(c *kernel.Construction) string {
	return resource.RendezvousKey(c.Str("send_device"), uint64(c.Int("send_device_incarnation")), c.Str("recv_device"), c.Str("tensor_name"))
}

// send leaves its input, or the news that it is dead, at the step's rendezvous.
type send struct{ key string }

func (k send) Run(ctx *kernel.Context, in, _ []tensor.Value) error {
	r := ctx.Step.Rendezvous
	if r == nil {
		return alone(k.key)
	}
	t := resource.Token{Dead: ctx.Dead}
	if d, ok := tensor.DistantOf(in[0]); ok && !t.Dead { // which is not left to the collector
		t.Value = tensor.Scalar(d.Again())
	} else if !t.Dead {
		t.Value = in[0].Share()
	}
	return r.Send(resource.Tagged(k.key, ctx.Tag), t)
}

// recv waits for what a send leaves. A dead token leaves its output without a value,
// which is then dead.
type recv struct {
	key   string
	dtype tensor.DType
}

func (k recv) Start(ctx *kernel.Context, _, out []tensor.Value, done func(error)) {
	r := ctx.Step.Rendezvous
	if r == nil {
		done(alone(k.key))
		return
	}
	r.Recv(ctx.Step.Context, resource.Tagged(k.key, ctx.Tag), func(t resource.Token, err error) {
		switch d, o := distant(&t); {
		case err != nil:
		case d != nil:
			out[0], err = ctx.Holding(o, d)
		case !t.Dead && t.Value.DType() != k.dtype:
			err = status.Errorf(status.Internal, "a %v came for a %v: %s", t.Value.DType(), k.dtype, k.key)
		case t.Foreign && !t.Dead:
			out[0] = ctx.ChargeValue(t.Value)
		default:
			out[0] = t.Value
		}
		done(err)
	})
}

// distant returns what send made of a tensor that is not in the host's memory; nil: it is.
func distant(t *resource.Token) (tensor.Distant, *tensor.Object) {
	if t.Dead || t.Value.DType() != tensor.Variant || t.Value.NumElements() != 1 {
		return nil, nil
	}
	o := tensor.Of[*tensor.Object](&t.Value)[0]
	if o == nil {
		return nil, nil
	}
	d, _ := o.Value.(tensor.Distant)
	return d, o
}

func (k recv) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	done := make(chan error, 1)
	k.Start(ctx, in, out, func(err error) { done <- err })
	return <-done
}

func alone(key string) error {
	return status.Errorf(status.FailedPrecondition, "nothing can be sent or received in a step without a rendezvous: %s", key)
}
