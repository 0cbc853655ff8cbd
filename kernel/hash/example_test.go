package hash_test

import (
	"fmt"

	"github.com/troupe-go/troupe/kernel/hash"
)

func Example() {
	const buckets = 1000
	fmt.Println(hash.Fingerprint64("Hello") % buckets) // what StringToHashBucketFast answers
	fmt.Println(hash.Sip24("Hello", 1, 2) % buckets)   // StringToHashBucketStrong, of key [1, 2]
	// Output:
	// 151
	// 274
}
