package vec

func sumLanesPortable(lanes, x []float32) {
	for ; len(x) >= partial; x = x[partial:] {
		for i, v := range x[:partial] {
			lanes[i] += v
		}
	}
	for i, v := range x {
		lanes[i] += v
	}
}

func maxLanesPortable(lanes, x []float32) {
	for ; len(x) >= 4; x = x[4:] {
		for i, v := range x[:4] {
			lanes[i] = max(lanes[i], v)
		}
	}
	for i, v := range x {
		lanes[i] = max(lanes[i], v)
	}
}

func minLanesPortable(lanes, x []float32) {
	for ; len(x) >= 4; x = x[4:] {
		for i, v := range x[:4] {
			lanes[i] = min(lanes[i], v)
		}
	}
	for i, v := range x {
		lanes[i] = min(lanes[i], v)
	}
}

func greatestLanesPortable(lanes, x []float32) {
	for _, v := range x {
		if v > lanes[0] {
			lanes[0] = v
		}
	}
}

func indexPortable(x []float32, s float32) int {
	for i, v := range x {
		if v == s {
			return i
		}
	}
	return len(x)
}
