package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// scatters are how a row of an update, y, changes one of x.
var scatters = map[string]string{
	"Update": "y", "Add": "x + y", "Sub": "x - y", "Mul": "x * y", "Min": "y < x ? y : x", "Max": "y > x ? y : x",
}

// Scatter changes rows of z: row indices[i] by row i of updates, or by updates itself if that
// has one element, one after the other whatever the device. How is Update, Add, Sub, Mul, Min
// or Max. Indices that are out of range are left out.
func Scatter(how string, z, indices, updates Array) ([]devices.Launch, error) {
	formula, ok := scatters[how]
	if !ok || updates.Type != z.Type {
		return nil, mistake("no scatter %s of %v into %v%v", how, updates.Type, z.Type, z.Dims)
	}
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	index, err := elementOf(indices.Type)
	if err != nil {
		return nil, err
	}
	count := indices.Elements()
	if count == 0 || z.Elements() == 0 {
		return nil, nil
	}
	limit := int64(1) // of a scalar
	if len(z.Dims) > 0 {
		limit = z.Dims[0]
	}
	inner := z.Elements() / limit
	each := int64(1)
	if updates.Elements() != count*inner {
		each = 0
	}
	name := "scatter" + strings.ToLower(how) + "_" + e.name + "_" + index.name
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
KERNEL %[1]s(GLOBAL const %[3]s *updates, GLOBAL const %[4]s *indices, GLOBAL %[3]s *z, i64 count, i64 limit, i64 inner, i64 each) {
  EACH(column, inner) {
    for (i64 row = 0; row < count; row++) {
      i64 at = (i64)indices[row];
      T x, y;
      if (at < 0 || at >= limit) continue;
      at = at * inner + column;
      x = %[5]s;
      y = %[6]s;
      z[at] = %[7]s;
    }
  }
}
`, name, e.compute, e.stored, index.stored, e.load("z[at]"), e.load("updates[(row * inner + column) * each]"), e.store(formula))
	}, e, index)
	return (&call{}).reads(updates.Buffer, indices.Buffer).updates(z.Buffer).i64(count, limit, inner, each).flat(f, inner), nil
}
