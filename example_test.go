package troupe_test

import (
	"context"
	"fmt"
	"image/png"
	"log"
	"os"

	tf "github.com/troupe-go/troupe"
)

// A program written for TensorFlow's Go binding, with another import.
func Example() {
	graph := tf.NewGraph()
	greeting, err := tf.NewTensor("hello")
	if err != nil {
		log.Fatal(err)
	}
	hello, err := graph.AddOperation(tf.OpSpec{
		Type:  "Const",
		Name:  "hello",
		Attrs: map[string]any{"dtype": tf.String, "value": greeting},
	})
	if err != nil {
		log.Fatal(err)
	}
	sess, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer sess.Close()
	out, err := sess.Run(nil, []tf.Output{hello.Output(0)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Value())
	// Output: hello
}

// The code of the README: a network exported by Keras classifies the image of a digit.
func ExampleSavedModel() {
	ctx := context.Background()
	pixels := grayscale("examples/serve/two.png")

	model, err := tf.LoadSavedModel("examples/serve/digits", []string{"serve"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Session.Close()
	image, err := tf.FromSlice(pixels, 1, 8, 8, 1) // pixels is a []float32; it is not copied
	if err != nil {
		log.Fatal(err)
	}
	out, err := model.Run(ctx, "serving_default", map[string]*tf.Tensor{"image": image})
	if err != nil {
		log.Fatal(err) // a *tf.Error: code, node, frame and iteration, device
	}
	fmt.Printf("%.2f\n", out["output_0"].Value())
	// Output: [[0.00 0.00 1.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00]]
}

// grayscale returns the pixels of a PNG, from 0 to 255, row by row.
func grayscale(name string) []float32 {
	file, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	var pixels []float32
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			gray, _, _, _ := img.At(x, y).RGBA()
			pixels = append(pixels, float32(gray>>8))
		}
	}
	return pixels
}

// A GraphDef is run by naming the outputs to feed and to fetch: a loop that counts to
// the number it is fed.
func ExampleSession() {
	def, err := os.ReadFile("benchmarks/graphs/while_counter_p10.pb")
	if err != nil {
		log.Fatal(err)
	}
	graph := tf.NewGraph()
	if err := graph.Import(def, ""); err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	limit, _ := tf.NewTensor(int32(1000))
	out, err := session.Run(
		map[tf.Output]*tf.Tensor{graph.Operation("limit").Output(0): limit},
		[]tf.Output{graph.Operation("while/Exit").Output(0)}, nil)
	if err != nil {
		log.Fatal(err) // a *tf.Error: code, node, frame and iteration, device
	}
	fmt.Println(out[0].Value())
	// Output: 1000
}
