package tile

// What a plan is judged by, in nanoseconds of one core. They are rough: they rank divisions,
// and a trial decides. BenchmarkBytes and BenchmarkTile measure bytes and tiles.
const (
	perByteFar  = 0.05  // to write and read again what does not fit into the second cache
	perByteNear = 0.008 // what does
	near        = 384 << 10
	perWork     = 0.02 // a multiplication
	perTile     = 250  // to begin with some rows of a step
	perSection  = 8000 // the least that is worth another worker
	waited      = 0.25 // of the time of a section: how long workers wait for the last one
	perKernel   = 1500 // to share out a kernel among workers, and to wait for the last of them
)

// gain returns about how many nanoseconds a segment saves.
func (p *planner) gain(s *Segment) float64 {
	if p.eager {
		return float64(len(s.steps) - 1)
	}
	gain := float64(len(s.steps)-1) * perKernel
	made := make([]int, len(s.steps)) // rows that are computed at first, by step
	seen := p.walk.glance(s, func(w *walk) {
		for k := range made {
			if f := w.fresh[k]; !f.empty() {
				made[k] += f.to - f.from
			}
		}
	})
	sections, rows := len(s.Sections)-1, s.steps[len(s.steps)-1].rows
	weights := p.weights(s)
	for k := range s.steps {
		x := &s.steps[k]
		if k < len(s.steps)-1 {
			bytes := float64(4 * s.Images * x.rows * x.width)
			rate := perByteFar
			if bytes/float64(p.workers) < near {
				rate = perByteNear
			}
			if x.result >= 0 { // it is not read again, but copied
				rate = rate/2 - perByteNear
			}
			gain += bytes * rate / float64(p.workers)
		}
		// What a section needs beyond its share of the rows, others compute as well.
		more := max(0, float64(made[k])-float64(x.rows)*float64(seen)/float64(rows)) * float64(sections) * float64(x.tiling.Work)
		gain -= float64(s.Images) * more * perWork / float64(p.workers)
	}
	gain -= s.bands() * (float64(len(s.steps))*perTile + weights*perByteNear) / float64(p.workers)
	return gain
}

// uneven returns about how many nanoseconds more sections or fewer make a difference beyond gain:
// workers wait for half of a section of a slow one, and weights that do not stay in the second
// cache come from afar for every band.
func (p *planner) uneven(s *Segment) float64 {
	lost := waited * float64(s.Work) / float64(s.Images*(len(s.Sections)-1))
	if weights := p.weights(s); weights >= near {
		lost += s.bands() * weights * perByteFar / float64(p.workers)
	}
	return lost
}

// bands returns into how many bands a segment is cut.
func (s *Segment) bands() float64 {
	sections, rows := len(s.Sections)-1, s.steps[len(s.steps)-1].rows
	return float64(s.Images * ((rows-1)/s.Height + sections))
}

// weights returns how many bytes a segment reads for every band.
func (p *planner) weights(s *Segment) (bytes float64) {
	for k := range s.steps {
		for i := range s.steps[k].in {
			if o := &s.steps[k].in[i]; o.step < 0 && !o.stream {
				bytes += float64(p.elements(s.Inputs[o.input])) * 4
			}
		}
	}
	return bytes
}

func (p *planner) elements(from int) int {
	n := 1
	for _, d := range p.dimsOf(from) {
		n *= int(d)
	}
	return n
}
