// Package handwritten has the images of digits that the other examples learn to read.
package handwritten

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/troupe-go/troupe/layers"
	tf "github.com/troupe-go/troupe/session"
)

//go:embed testdata/digits.csv.gz
var compressed []byte

// Pixels is how many an image has, 8 by 8 from the top.
const Pixels = 8 * 8

// Read reads the images, with pixels from 0 to 1, and what they show.
func Read() (images, labels *tf.Tensor, err error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, nil, err
	}
	r := csv.NewReader(unzipped)
	r.FieldsPerRecord = Pixels + 1
	r.ReuseRecord = true
	var values []float32
	var digits []int64
	for {
		line, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for i, field := range line {
			n, err := strconv.Atoi(field)
			switch {
			case err != nil:
				return nil, nil, err
			case i < Pixels:
				values = append(values, float32(n)/16)
			case n < 0 || n > 9:
				return nil, nil, fmt.Errorf("line %d: %d is not a digit", len(digits)+1, n)
			default:
				digits = append(digits, int64(n))
			}
		}
	}
	if images, err = tf.FromSlice(values, int64(len(digits)), Pixels); err != nil {
		return nil, nil, err
	}
	labels, err = tf.FromSlice(digits, int64(len(digits)))
	return images, labels, err
}

// Examples splits the images, 8 by 8 by 1, at random: 360 to test with, and the others.
func Examples() (test, rest layers.Batch, err error) {
	images, labels, err := Read()
	if err != nil {
		return test, rest, err
	}
	if images, err = images.WithShape([]int64{images.Dims()[0], 8, 8, 1}); err != nil {
		return test, rest, err
	}
	all, err := layers.Examples(labels, images)
	if err != nil {
		return test, rest, err
	}
	return all.Split(360, 20)
}
