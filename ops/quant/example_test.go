package quant_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/quant"
)

// Eight-bit integers stand for floats; the product says what its own stand for.
func Example() {
	s := op.NewScope()
	number := func(name string, x float32) tf.Output { return op.Const(s.SubScope(name), x) }
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(4, 2)))
	q, low, high := op.QuantizeV2(s, x, number("low", -1), number("high", 1), tf.Quint8)
	product, _, _ := op.QuantizedMatMul(s, q, q, low, high, low, high, op.QuantizedMatMulTransposeB(true))
	fmt.Println(q.DataType(), product.DataType(), product.Shape())
	// Output: quint8 qint32 [4, 4]
}
