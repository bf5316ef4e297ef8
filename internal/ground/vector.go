package ground

// ascend fills a slice with first, first + 1, ….
func ascend(values []int32, first int32) {
	for k := range values {
		values[k] = first + int32(k)
	}
}

// fill sets all values.
func fill[T any](values []T, value T) {
	for k := range values {
		values[k] = value
	}
}

// gather copies the values at some places.
func gather[T any](out, values []T, places []int32) {
	places = places[:len(out)]
	for k, place := range places {
		out[k] = values[place]
	}
}

// spread writes values + shift to every width-th place.
func spread(out []int32, width int, values []int32, shift int32) {
	if width == 1 {
		out = out[:len(values)]
		for k, v := range values {
			out[k] = v + shift
		}
		return
	}
	place := 0
	for _, v := range values {
		out[place] = v + shift
		place += width
	}
}

// spreadSome is spread for some of the values.
func spreadSome(out []int32, width int, values []int32, shift int32, some []int32) {
	place := 0
	for _, k := range some {
		out[place] = values[k] + shift
		place += width
	}
}
