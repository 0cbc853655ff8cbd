package strings

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/hash"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("StringToHashBucket").
		Input("string_tensor: string").Output("output: int64").
		Attr("num_buckets: int >= 1").
		Doc(`Hashes strings to buckets; the hash may differ between versions, so do not keep it.

output: For each string its bucket, in [0, num_buckets).
num_buckets: How many buckets; hashes are taken modulo this.`)
	registry.Define("StringToHashBucketFast").
		Input("input: string").Output("output: int64").
		Attr("num_buckets: int >= 1").
		Doc(`Hashes strings to buckets with FarmHash.

output: For each string its bucket, in [0, num_buckets).
num_buckets: How many buckets; hashes are taken modulo this.`)
	registry.Define("StringToHashBucketStrong").
		Input("input: string").Output("output: int64").
		Attr("num_buckets: int >= 1").
		Attr("key: list(int)").
		Doc(`Hashes strings to buckets with keyed SipHash, so that collisions cannot be predicted.

output: For each string its bucket, in [0, num_buckets).
num_buckets: How many buckets; hashes are taken modulo this.
key: The key, two numbers.`)

	kernel.ForAll(newBuckets(func(s string) uint64 { return hash.Murmur64(s, 0xdecafcaffe) }), "StringToHashBucket")
	kernel.ForAll(newBuckets(hash.Fingerprint64), "StringToHashBucketFast")
	kernel.ForAll(newStrongBuckets, "StringToHashBucketStrong")

	gradient.None("StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong")
}

//go:noinline
func newBuckets(h func(s string) uint64) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		n := c.Int("num_buckets")
		if n < 1 {
			return nil, status.Invalid("num_buckets must be at least 1, got %d", n)
		}
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			return mapTo(ctx, in, out, func(s string) (int64, error) { return int64(h(s) % uint64(n)), nil })
		}), nil
	}
}

func newStrongBuckets(c *kernel.Construction) (kernel.Kernel, error) {
	key := c.Ints("key")
	if len(key) != 2 {
		return nil, c.Errorf("Key must have 2 elements")
	}
	k0, k1 := uint64(key[0]), uint64(key[1])
	return newBuckets(func(s string) uint64 { return hash.Sip24(s, k0, k1) })(c)
}
