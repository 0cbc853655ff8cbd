package tensorproto_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

func ExampleUnmarshal() {
	t, err := tensor.NewTensor([]string{"to", "and", "fro"})
	if err != nil {
		log.Fatal(err)
	}
	message, err := tensorproto.Marshal(t)
	if err != nil {
		log.Fatal(err)
	}
	back, err := tensorproto.Unmarshal(message, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back)

	_, err = tensorproto.Unmarshal(message[:len(message)-1], 1<<20)
	fmt.Println(err)
	// Output:
	// [b'to' b'and' b'fro']
	// INVALID_ARGUMENT: tensor message is malformed at byte 18: field 8: a length of 3 points past the end of the message at byte 21
}
