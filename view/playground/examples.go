package playground

import "embed"

//go:embed examples/*.txt
var examples embed.FS
