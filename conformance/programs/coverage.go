package programs

import "fmt"

// Operations returns the names of all operations that programs may have, statements
// that are none included.
func Operations() []string {
	list := []string{"choice", "choice by number", "choice that says which", "loop", "call", "recursion"}
	for _, b := range binaries {
		list = append(list, b.name)
	}
	for _, u := range unaries {
		list = append(list, u.name)
	}
	for _, r := range reductions {
		list = append(list, r.name)
	}
	for _, o := range []*Op{
		cast, selects, addN, complexOf, argMax, matMul, reshape, reshapeLike, squeeze, expandDims, identity,
		identityN, transpose, reverse, tile, broadcastTo, fill, shapeOf, sizeOf, slice, stridedSlice, concat, pack,
		split, splitV, unpack, gather, rangeOf, check, varRead, varAssign, varAdd, varSub, varPlus, arrayNew,
		arrayWrite, arrayRead, arrayGather, arrayScatter, stackNew, stackPush, stackPop, varShare, unshared, passShared, varTake, listNew, listPush,
		listPop, listSet, listGet, listStack, listLength, listFrom,
	} {
		list = append(list, o.Name)
	}
	return list
}

// Counts returns how often a program has each of the operations, and each element type.
func (p *Program) Counts() map[string]int {
	n := map[string]int{}
	p.Body.count(p.Types, n)
	return n
}

func (b Block) count(types []Type, n map[string]int) {
	for _, s := range b {
		switch s := s.(type) {
		case *Apply:
			n[s.Op.Name]++
			for _, v := range s.To {
				if types[v].Kind == Tensor {
					n[types[v].DType.String()]++
					n[fmt.Sprintf("rank %d", len(types[v].Dims))]++
				}
			}
		case *Choice:
			n["choice"]++
			if s.Multi {
				n["choice by number"]++
			}
			if s.Which != nil {
				n["choice that says which"]++
			}
			for _, b := range s.Blocks {
				b.count(types, n)
			}
		case *Loop:
			n["loop"]++
			s.Test.count(types, n)
			s.Body.count(types, n)
		case *Call:
			n["call"]++
			s.Body.count(types, n)
		case *Recursion:
			n["recursion"]++
			for _, b := range []Block{s.Base, s.Before, s.After} {
				b.count(types, n)
			}
		}
	}
}
