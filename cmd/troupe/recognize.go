package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/troupe-go/troupe/status"
)

// recognize reports what a file is that people take for a graph, and what to do with it; ""
// if it may be one.
func recognize(name string, b []byte) string {
	at := func(offset int, magic string) bool {
		return len(b) >= offset+len(magic) && string(b[offset:offset+len(magic)]) == magic
	}
	switch {
	case at(0, "PK\x03\x04"):
		if names, err := casesIn(name); err == nil && len(names) > 0 {
			return fmt.Sprintf("an archive of %s: name one, as in %s/%s", some(names, "case"), name, names[0])
		}
		return "a zip archive, without recorded cases: unpack it and give the SavedModel's folder; of a .keras file, what model.export() writes"
	case at(257, "ustar"):
		return "a tar archive: unpack it and give the SavedModel's folder"
	case at(0, "\x89HDF\r\n"):
		return "an HDF5 file, in which Keras keeps weights: give the folder that model.export() writes"
	case at(4, "TFL3"):
		return "a model of TensorFlow Lite: give the SavedModel that it was converted from"
	case at(0, "\x08\x01\x12"): // saved_model_schema_version 1, meta_graphs
		return "a SavedModel: give its folder, in which the file is called " + savedModelFile
	case strings.HasSuffix(name, ".index") && at(0, "\x00\x00"), strings.Contains(filepath.Base(name), ".data-00000-of-"):
		return "a part of a checkpoint, which has values and no graph; `troupe show` lists them, given its .index"
	case at(0, "\x93NUMPY"):
		return "an array, to be fed with --feed NAME=@" + name
	case at(0, "\x89PNG\r\n"), at(0, "\xff\xd8\xff"), at(0, "GIF8"):
		return "an image, to be fed with --feed NAME=@" + name
	case filepath.Ext(name) == ".onnx":
		return "a model of ONNX, not of TensorFlow"
	case at(0, "version https://git-lfs"):
		return "what git keeps in place of a large file: fetch it with git lfs pull"
	case at(0, "<!DOCTYPE"), at(0, "<!doctype"), at(0, "<html"):
		return "a page of the web: was something else meant to be downloaded?"
	case at(0, "{"):
		return "JSON, and no graph; of TensorFlow.js, give the SavedModel that was converted"
	}
	return ""
}

// notAModel returns the error of a folder that is no model, with what it holds that is one.
func notAModel(dir string) error {
	var models, others []string
	for _, e := range readDir(dir) {
		name := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			for _, file := range []string{savedModelFile, savedModelFile + "txt", "case.json"} {
				if _, err := os.Stat(filepath.Join(name, file)); err == nil {
					models = append(models, name)
					break
				}
			}
			others = append(others, e.Name()+"/")
		case looksLikeModel(e.Name()):
			models = append(models, name)
		default:
			others = append(others, e.Name())
		}
	}
	err := "%s is no SavedModel, which has a file " + savedModelFile + ", and no recorded case, which has a case.json"
	switch {
	case len(models) == 1:
		return status.Errorf(status.NotFound, err+"; did you mean %s?", dir, models[0])
	case len(models) > 0:
		return status.Errorf(status.NotFound, err+"; it holds %s", dir, some(models, "model"))
	case len(others) > 0:
		return status.Errorf(status.NotFound, err+"; it holds %s", dir, some(others, "file"))
	}
	return status.Errorf(status.NotFound, err+"; it is empty", dir)
}

// looksLikeModel reports whether a file of that name may be a graph or an archive of cases.
func looksLikeModel(name string) bool {
	name = strings.TrimSuffix(name, ".gz")
	switch filepath.Ext(name) {
	case ".pb", ".pbtxt", ".graphdef", ".zip":
		return true
	}
	return false
}

// some is "3 cases, a, b and c", of many the first few.
func some(names []string, what string) string {
	const few = 6
	if len(names) > few {
		return fmt.Sprintf("%s, such as %s", count(len(names), what), strings.Join(names[:few], ", "))
	}
	return fmt.Sprintf("%s: %s", count(len(names), what), strings.Join(names, ", "))
}
