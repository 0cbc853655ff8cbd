package conformance_test

import (
	"context"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/conformance"
)

func ExampleLoad() {
	cases, err := conformance.Load("testdata/control.zip/while_fibonacci")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range cases {
		r := c.Run(context.Background(), conformance.Config{Engine: "sequential"})
		fmt.Println(r.Case, r.Verdict, r.Detail)
	}
	// Output: control/while_fibonacci passed
}
