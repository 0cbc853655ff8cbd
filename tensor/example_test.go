package tensor_test

import (
	"fmt"
	"log"
	"os"

	"github.com/troupe-go/troupe/tensor"
)

func ExampleNewTensor() {
	t, err := tensor.NewTensor([][]float32{{1, 2, 3}, {4, 5, 6}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.DataType(), t.Shape())
	fmt.Println(t)

	_, err = tensor.NewTensor([][]int32{{1, 2}, {3}})
	fmt.Println(err)
	// Output:
	// float [2 3]
	// [[1. 2. 3.]
	//  [4. 5. 6.]]
	// INVALID_ARGUMENT: ragged value: a slice of length 1 where others have 2
}

func ExampleTensor_Value() {
	t, err := tensor.NewTensor([2][2]int64{{1, 2}, {3, 4}})
	if err != nil {
		log.Fatal(err)
	}
	rows := t.Value().([][]int64)
	fmt.Println(rows[1][0])
	// Output: 3
}

func ExampleCompare() {
	got, _ := tensor.NewTensor([][]float32{{1, 2}, {3, 4.5}})
	want, _ := tensor.NewTensor([][]float32{{1, 2}, {3, 4}})
	fmt.Println(tensor.Compare(got, want, tensor.Tolerance{RTol: 1e-5}))
	fmt.Println(tensor.Compare(got, want, tensor.Tolerance{ATol: 1}))
	// Output:
	// FAILED_PRECONDITION: element [1,1] is 4.5, want 4.0 (off by 0.5); 1 of 4 elements differ
	// <nil>
}

func ExamplePrinter() {
	data := make([]float64, 10000)
	for i := range data {
		data[i] = float64(i) / 8
	}
	t, err := tensor.FromSlice(data, 100, 100)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tensor.Printer{EdgeItems: 2}.Sprint(t))
	// Output:
	// [[0.000000e+00 1.250000e-01 ... 1.225000e+01 1.237500e+01]
	//  [1.250000e+01 1.262500e+01 ... 2.475000e+01 2.487500e+01]
	//  ...
	//  [1.225000e+03 1.225125e+03 ... 1.237250e+03 1.237375e+03]
	//  [1.237500e+03 1.237625e+03 ... 1.249750e+03 1.249875e+03]]
}

func ExampleTensor_WriteContentsTo() {
	t := tensor.FromScalar(int32(0x21786548))
	if _, err := t.WriteContentsTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output: Hex!
}

func ExampleToFloat16() {
	h := tensor.ToFloat16(0.1)
	fmt.Printf("%#04x %v\n", uint16(h), h.Float32())
	// Output: 0x2e66 0.099975586
}
