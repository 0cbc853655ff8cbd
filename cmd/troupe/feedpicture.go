package main

import (
	"bytes"
	"os"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/status"
)

// pictures are the beginnings of files that are pictures.
var pictures = []string{"\x89PNG\r\n", "\xff\xd8\xff", "GIF8", "BM"}

// isPicture reports whether a file is a picture.
func isPicture(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 8)
	n, _ := f.Read(head)
	for _, magic := range pictures {
		if bytes.HasPrefix(head[:n], []byte(magic)) {
			return true
		}
	}
	return false
}

// readPicture decodes a picture for an input of a type of numbers and a shape: height,
// width and channels, perhaps with a batch before, of one. Channels are from 0 to 255.
func readPicture(name string, dt troupe.DataType, want troupe.Shape) (*troupe.Tensor, error) {
	rank := want.NumDimensions()
	channels := int64(0) // as many as the file has
	if rank > 0 {
		channels = max(0, want.Size(rank-1))
	}
	switch {
	case rank >= 0 && rank != 3 && rank != 4, channels == 2 || channels > 4:
		return nil, status.Invalid("%s is an image, with height, width and 1, 3 or 4 channels; the input is %v %v", name, dt, want)
	case rank == 4 && want.Size(0) > 1:
		return nil, status.Invalid("%s is one image; the input %v %v is a batch of %d: feed an array, NAME=@FILE.npy", name, dt, want, want.Size(0))
	}
	text, err := readText(name)
	if err != nil {
		return nil, status.FromFile(err)
	}
	s := op.NewScope()
	contents := op.Placeholder(s, troupe.String, op.PlaceholderShape(troupe.ScalarShape()))
	image := op.Cast(s, op.DecodeImage(s, contents, op.DecodeImageChannels(channels), op.DecodeImageExpandAnimations(false)), dt)
	g, err := s.Finalize()
	if err != nil {
		return nil, err
	}
	sess, err := troupe.NewSession(g, nil)
	if err != nil {
		return nil, err
	}
	defer sess.Close()
	out, err := sess.Run(map[troupe.Output]*troupe.Tensor{contents: text}, []troupe.Output{image}, nil)
	if err != nil {
		return nil, status.Within(err, "%s", name)
	}
	t, dims := out[0], out[0].Shape()
	if rank == 4 {
		dims = append([]int64{1}, dims...)
	}
	for i := range max(0, rank) {
		if n := want.Size(i); n >= 0 && n != dims[i] {
			return nil, status.Invalid("%s is an image of %d by %d pixels; the input is %v %v: scale the image first", name, t.Shape()[1], t.Shape()[0], dt, want)
		}
	}
	return t, t.Reshape(dims)
}
