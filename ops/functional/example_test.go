package functional_test

import (
	"fmt"

	"github.com/troupe-go/troupe/registry"

	_ "github.com/troupe-go/troupe/ops/functional"
)

// Operations that take functions of the graph's library have no Go function;
// their definitions say what they are.
func Example() {
	def, err := registry.Global.Lookup("StatelessWhile")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(def.Summary)
	for _, name := range []string{"cond", "body"} {
		fmt.Println(name+":", def.Attr(name).Description)
	}
	// Output:
	// Calls a function again and again while a condition holds, both without side effects.
	// cond: A function of the loop variables that returns whether there is another iteration.
	// body: A function from the loop variables to their next values, of the same types.
}
