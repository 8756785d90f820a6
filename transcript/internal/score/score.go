// Package score says how likely readings of a file are, by weights of features in one table.
//
// It knows no formats: package transcript describes a reading by its features. The weights are logarithms of
// odds, so that a difference of 3 between two readings means that one is twenty times as likely.
package score

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Feature is a property of a reading.
type Feature int

// The features. Those of labels are summed over the labels that are read as people.
const (
	LabelRecurs   Feature = iota // it occurs three times; a half for twice
	LabelOnce                    // it occurs once among others that recur
	LabelEdge                    // it occurs in one block at the beginning or the end
	LabelRemark                  // its word heads remarks or fields
	LabelRole                    // its word is a role, or programs give it
	LabelName                    // it looks like a name
	LabelOdd                     // it does not
	LabelData                    // data stand behind it: a number, an address, a date
	LabelSmall                   // small letters begin behind it, as they do not behind others
	LabelKnown                   // it is another form of a label that recurs
	LabelHolds                   // it holds for far more paragraphs than it occurs
	LabelRules                   // the rules read it as a person; -1 if they do not
	LabelDigits                  // it has no letters
	LabelUnlike                  // it is written in another way than those that recur
	LabelUnended                 // no sentence ends behind it, as it does behind others
	Repeats                      // the same speaker twice in a row, against the alternation of the file
	SelfAnswers                  // a speaker answers questions of the same turn
	Voice                        // lines without a label are another voice
	Residue                      // marks among the words: times, tags, chevrons
	NameInside                   // the label of a speaker among the words of another
	Unnamed                      // share of words without a speaker
	EmptyHeads                   // heads without words
	LinesKept                    // lines are kept that may be headers of pages
	FileBias                     // of the chosen reading, with those below
	FileOne                      // only one speaker
	FileUnnamed                  // turns without a speaker
	FileUncertain                // lines may begin with names
	FileFew                      // few paragraphs begin with a name
	FileMany                     // most of many speakers speak once
	FileTimes                    // times are wrong
	FileLost                     // words are lost
	FileOrder                    // words of a PDF are not from top to bottom
	FileRepeated                 // lines recur
	FileResidue                  // marks among the words
	FileNone                     // nobody is named, and something may be a name
	FileDoubtful                 // share of words in turns that may begin with a name
	FileHeadings                 // those who come back twice after others say less than half of the words
	FileTitle                    // the first label is a speaker's name in capitals, as it is nowhere else
	FileOutline                  // the labels are letters or numbers that count up
	count
)

var names = [count]string{
	"label_recurs", "label_once", "label_edge", "label_remark", "label_role", "label_name", "label_odd",
	"label_data", "label_small", "label_known", "label_holds", "label_rules", "label_digits", "label_unlike",
	"label_unended", "repeats",
	"self_answers", "voice", "residue", "name_inside", "unnamed", "empty_heads", "lines_kept", "file_bias",
	"file_one", "file_unnamed", "file_uncertain", "file_few", "file_many", "file_times", "file_lost",
	"file_order",
	"file_repeated", "file_residue", "file_none", "file_doubtful",
	"file_headings", "file_title", "file_outline",
}

// A Vector has the value of each feature.
type Vector [count]float64

// Named returns the features by their names in the table.
func (v Vector) Named() map[string]float64 {
	named := map[string]float64{}
	for f, value := range v {
		named[names[f]] = value
	}
	return named
}

// Sum returns the weighted sum of the features.
func (v Vector) Sum() float64 {
	sum := 0.0
	for f, value := range v {
		sum += weights[f] * value
	}
	return sum
}

// Likely returns the probability that belongs to a weighted sum.
func (v Vector) Likely() float64 { return 1 / (1 + math.Exp(-v.Sum())) }

// Share returns the share of each of several readings, by their sums.
func Share(sums []float64) []float64 {
	most := math.Inf(-1)
	for _, sum := range sums {
		most = max(most, sum)
	}
	total := 0.0
	shares := make([]float64, len(sums))
	for i, sum := range sums {
		shares[i] = math.Exp(sum - most)
		total += shares[i]
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
}

//go:embed weights.txt
var table string

var weights = readWeights(table)

// readWeights reads lines with a name and a weight. Lines that begin with "#" are comments.
func readWeights(table string) (w Vector) {
	byName := map[string]float64{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		weight, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			panic(fmt.Sprintf("weights.txt: %v", err))
		}
		byName[fields[0]] = weight
	}
	for f, name := range names {
		weight, ok := byName[name]
		if !ok {
			panic("weights.txt: no weight of " + name)
		}
		w[f] = weight
	}
	return w
}
