package files_test

import (
	"fmt"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
)

func Example() {
	p := &files.Policy{Read: []string{"/models/digits"}}
	_, err := p.Open("/etc/passwd")
	fmt.Println(status.CodeOf(err))
	fmt.Println(err)
	// Output:
	// PERMISSION_DENIED
	// PERMISSION_DENIED: /etc/passwd; reading it is not permitted: SessionOptions.Files permits reading files below /models/digits
}
