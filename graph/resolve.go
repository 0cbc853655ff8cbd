package graph

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

func decodeOpDef(b []byte) (*registry.OpDef, error) {
	return nil, status.Errorf(status.Unimplemented, "decodeOpDef")
}
