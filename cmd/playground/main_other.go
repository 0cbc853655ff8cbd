//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "playground: it is for browsers: go -C view/browser run ./playground -o playground.html builds the page")
	os.Exit(2)
}
