package strings

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("StringToHashBucket").
		Input("string_tensor: string").Output("output: int64").
		Attr("num_buckets: int >= 1").
		Doc("Hashes strings to buckets; the hash may differ between versions.")
	registry.Define("StringToHashBucketFast").
		Input("input: string").Output("output: int64").
		Attr("num_buckets: int >= 1").
		Doc("Hashes strings to buckets with FarmHash.")
	registry.Define("StringToHashBucketStrong").
		Input("input: string").Output("output: int64").
		Attr("num_buckets: int >= 1").
		Attr("key: list(int)").
		Doc(`Hashes strings to buckets with keyed SipHash, so that nobody can foresee collisions.

key: The key, two numbers.`)
}
