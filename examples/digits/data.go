package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	tf "github.com/troupe-go/troupe/session"
)

//go:embed testdata/digits.csv.gz
var compressed []byte

const pixels = 8 * 8

// readDigits reads the images, with pixels from 0 to 1, and what they show.
func readDigits() (images, labels *tf.Tensor, err error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, nil, err
	}
	r := csv.NewReader(unzipped)
	r.FieldsPerRecord = pixels + 1
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
			case i < pixels:
				values = append(values, float32(n)/16)
			case n < 0 || n > 9:
				return nil, nil, fmt.Errorf("line %d: %d is no digit", len(digits)+1, n)
			default:
				digits = append(digits, int64(n))
			}
		}
	}
	if images, err = tf.FromSlice(values, int64(len(digits)), pixels); err != nil {
		return nil, nil, err
	}
	labels, err = tf.FromSlice(digits, int64(len(digits)))
	return images, labels, err
}
