package transcript

// A Weighed is a reading that was weighed, for programs that fit the weights.
type Weighed struct {
	Utterances []Utterance
	Chosen     bool
	Share      float64            // how likely it is, among the readings of the file
	Features   map[string]float64 // by their names in the table of weights
	Agreed     float64            // of the chosen one: how likely a reading is that hardly differs
}

// Weigh returns the readings among which Parse chooses one, with their features. It returns none for a file
// that is too large to be weighed. Its error is a *FormatError.
func Weigh(data []byte) ([]Weighed, error) {
	src, err := detect(data)
	if err != nil {
		return nil, err
	}
	base := src.turns(plan{})
	if isTooLarge(base) {
		return nil, nil
	}
	w := src.weighAll(plan{}, base)
	var found []Weighed
	for _, c := range w.all {
		own := src.decide(c.plan.labels)
		t, err := own.transcript(c.list)
		if err != nil {
			return nil, err
		}
		weighed := Weighed{Chosen: c == w.chosen, Share: c.share}
		features := c.features
		if weighed.Chosen {
			weighed.Agreed = t.compare(c, w.all)
			for i, value := range t.quality(own, c) {
				features[i] += value
			}
		}
		weighed.Utterances, weighed.Features = t.Utterances, features.Named()
		found = append(found, weighed)
	}
	return found, nil
}
