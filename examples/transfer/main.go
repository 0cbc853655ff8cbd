// Command transfer trains a network to read the digits 0 to 4, exports it, and loads it.
// New layers on what the loaded one sees learn 5 to 9 from ten images of each; a network
// that begins anew with these images is worse.
//
//	go -C examples run ./transfer -picture /tmp/transfer.svg
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/troupe-go/troupe/examples/curves"
	"github.com/troupe-go/troupe/examples/handwritten"
	"github.com/troupe-go/troupe/layers"
	"github.com/troupe-go/troupe/model"
	tf "github.com/troupe-go/troupe/session"
)

func main() {
	picture := flag.String("picture", "", "draw loss and accuracy of the new layers into this `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, _, err := run(ctx, os.Stdout, *picture); err != nil {
		log.Fatal(err)
	}
}

// features are the layers that see what is in an image.
func features() []layers.Layer {
	return []layers.Layer{
		&layers.Conv2D{Filters: 16, Kernel: layers.Square(3), Activation: layers.ReLU},
		&layers.Conv2D{Filters: 32, Kernel: layers.Square(3), Activation: layers.ReLU},
		&layers.MaxPooling2D{},
		&layers.Flatten{},
		&layers.Dense{Units: 64, Activation: layers.ReLU},
	}
}

// run returns how many of the images held out are read right with the loaded network, and
// by one that begins anew.
func run(ctx context.Context, w io.Writer, picture string) (loaded, anew float64, err error) {
	test, rest, err := handwritten.Examples()
	if err != nil {
		return 0, 0, err
	}
	low, few, high := digits(rest, 0, 1000), digits(rest, 5, 10), digits(test, 5, 1000)
	dir, err := os.MkdirTemp("", "transfer")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	saved := filepath.Join(dir, "low")

	// The network to load is what sees; its last layer is only there to be trained.
	n := layers.New(1)
	seen := n.Input("image", tf.Float, 8, 8, 1).Then(features()...)
	if err := fit(ctx, w, "0 to 4", seen.Then(head()), low, low, 10, ""); err != nil {
		return 0, 0, err
	}
	return 0, 0, fmt.Errorf("unfinished %v %v %v", saved, few, high)
}
