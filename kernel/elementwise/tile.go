package elementwise

import "sync"

var (
	tiles32 sync.Pool // of *tileMemory[float32]
	tiles64 sync.Pool
)

func tilePool[T Float]() *sync.Pool {
	var x T
	if _, ok := any(x).(float32); ok {
		return &tiles32
	}
	return &tiles64
}

// takeTile is memory for a tile, of that many slots at least.
func takeTile[T Float](slots int) *tileMemory[T] {
	m, _ := tilePool[T]().Get().(*tileMemory[T])
	if m == nil {
		m = &tileMemory[T]{}
	}
	if len(m.slots) < slots {
		m.slots = make([][TileSize]T, slots)
	}
	return m
}

func giveTile[T Float](m *tileMemory[T]) { tilePool[T]().Put(m) }
