package main

import (
	"archive/zip"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/status"
)

// A feedFlag is the values of --feed, of which @FILE.npz stands for a feed of each array
// in the file, under the array's name.
type feedFlag []string

func addFeeds(cmd *cobra.Command, feeds *[]string, usage string) {
	cmd.Flags().Var((*feedFlag)(feeds), "feed", usage)
}

func (f *feedFlag) Type() string   { return "feed" }
func (f *feedFlag) String() string { return strings.Join(*f, " ") }

func (f *feedFlag) Set(text string) error {
	file, all := strings.CutPrefix(text, "@")
	if !all {
		*f = append(*f, text)
		return nil
	}
	if filepath.Ext(file) != ".npz" {
		return fmt.Errorf("only an archive, FILE.npz, is fed without a name: give NAME=@%s", file)
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		return status.FromFile(err)
	}
	defer z.Close()
	if len(z.File) == 0 {
		return fmt.Errorf("%s has no arrays", file)
	}
	for _, array := range z.File {
		*f = append(*f, strings.TrimSuffix(array.Name, ".npy")+"="+text)
	}
	return nil
}
