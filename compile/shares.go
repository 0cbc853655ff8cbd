package compile

import (
	"context"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/plan/partition"
)

// A Share is what one process runs of a program: the pieces of its devices.
type Share struct {
	Process devices.Spec
	Pieces  []partition.Piece
}

// Shares divides a program among the processes that its devices belong to.
func (p *Planned) Shares(ctx context.Context) ([]Share, error) {
	pieces := make([]partition.Piece, 1)
	var err error
	if p.Split != nil {
		pieces, err = partition.Graphs(ctx, p.Program)
	} else {
		pieces[0], err = partition.Whole(ctx, p.Program, p.Devices[0].Name)
	}
	if err != nil {
		return nil, err
	}
	var all []Share
	at := map[devices.Spec]int{}
	for _, piece := range pieces {
		spec := p.device(piece.Device).Spec.Process()
		i, ok := at[spec]
		if !ok {
			i = len(all)
			at[spec] = i
			all = append(all, Share{Process: spec})
		}
		all[i].Pieces = append(all[i].Pieces, piece)
	}
	return all, nil
}
