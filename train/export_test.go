package train

import "github.com/troupe-go/troupe/files"

// UseFiles makes the checkpoints' files those that a policy permits.
func (c *Checkpoints) UseFiles(fs *files.Policy) { c.fs = fs }
