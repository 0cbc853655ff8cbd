//go:build !amd64

package main

func multiplyAdd(int) int { return 0 }
