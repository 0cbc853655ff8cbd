package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// tile is how many rows and columns of a product a group computes.
const tile = 16

// MatMul computes z = x·y of matrices, or of batches of them: dimensions before the
// last two, which are broadcast to z's. transX and transY say that the last two are
// the other way round.
func MatMul(z, x, y Array, transX, transY bool) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	r := len(z.Dims)
	if r < 2 || len(x.Dims) < 2 || len(y.Dims) < 2 {
		return nil, mistake("a product of %v and %v is not %v", x.Dims, y.Dims, z.Dims)
	}
	rows, columns := z.Dims[r-2], z.Dims[r-1]
	xm, xk := x.Dims[len(x.Dims)-2], x.Dims[len(x.Dims)-1]
	if transX {
		xm, xk = xk, xm
	}
	yk, yn := y.Dims[len(y.Dims)-2], y.Dims[len(y.Dims)-1]
	if transY {
		yk, yn = yn, yk
	}
	if xm != rows || yn != columns || xk != yk {
		return nil, mistake("a product of %v and %v is not %v", x.Dims, y.Dims, z.Dims)
	}
	if z.Elements() == 0 {
		return nil, nil
	}
	if l, err := byLibrary(z, x, y, transX, transY); l != nil || err != nil {
		return l, err
	}
	w, err := broadcasting(z.Dims[:r-2], x.Dims[:len(x.Dims)-2], y.Dims[:len(y.Dims)-2])
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("matmul_%s_%d%d_r%d", e.name, btoi(transX), btoi(transY), len(w.dims))
	f := function(name, func(b *strings.Builder) {
		// Each group has a tile of z, and goes through tiles of x and y, which its
		// threads bring into shared memory together, one element each.
		xAt, yAt := "(row) * k + (at)", "(at) * n + (column)"
		if transX {
			xAt = "(at) * m + (row)"
		}
		if transY {
			yAt = "(column) * k + (at)"
		}
		fmt.Fprintf(b, "typedef %[2]s T;\n#define TILE %[3]d\nKERNEL %[1]s(GLOBAL const %[4]s *x, GLOBAL const %[4]s *y, GLOBAL %[4]s *z, i64 batches, i64 m, i64 n, i64 k%[5]s) {\n",
			name, e.compute, tile, e.stored, w.parameters("b", "x", "y"))
		b.WriteString("  LOCAL T xs[TILE][TILE + 1];\n  LOCAL T ys[TILE][TILE + 1];\n  i32 tx = THREAD(0), ty = THREAD(1);\n")
		b.WriteString("  i64 column = GROUP(0) * TILE + tx, row = GROUP(1) * TILE + ty;\n  for (i64 batch = GROUP(2); batch < batches; batch += GROUPS(2)) {\n")
		w.places(b, "b", "batch", "x", "y")
		fmt.Fprintf(b, `    T sum = (T)0;
    bx_at *= m * k; by_at *= k * n;
    for (i64 from = 0; from < k; from += TILE) {
      i64 at = from + tx;
      xs[ty][tx] = row < m && at < k ? %s : (T)0;
      at = from + ty;
      ys[ty][tx] = column < n && at < k ? %s : (T)0;
      BARRIER();
      for (i32 j = 0; j < TILE; j++) sum += xs[ty][j] * ys[j][tx];
      BARRIER();
    }
    if (row < m && column < n) z[(batch * m + row) * n + column] = %s;
  }
}
`, e.load("x[bx_at + "+xAt+"]"), e.load("y[by_at + "+yAt+"]"), e.store("sum"))
	}, e)
	batches := z.Elements() / (rows * columns)
	c := (&call{}).reads(x.Buffer, y.Buffer).writes(z.Buffer).i64(batches, rows, columns, xk)
	w.args(c)
	tiles := func(n int64) int { return int((n + tile - 1) / tile) }
	if tiles(rows) > 65535 {
		return nil, mistake("a product of %d rows", rows)
	}
	return c.grid(f, [3]int{tiles(columns), tiles(rows), int(min(batches, 65535))}, [3]int{tile, tile, 1}), nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
