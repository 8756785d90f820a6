package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	lineLength = 110
	// mostBusy is the share of the processor time that others may use before a run.
	mostBusy = 0.1
)

// write returns the page of a run. It returns an error if the run did not pass, or lacks a figure. Where the
// output says "missed: shown", benchmarks that failed are shown as such.
func write(r recorded) ([]byte, error) {
	outcome, ended := r.facts["outcome"]
	switch shown := r.facts["missed"] == "shown"; {
	case len(r.failed) > 0 && !shown:
		return nil, fmt.Errorf("these failed, or missed their limit: %s", strings.Join(r.failed, ", "))
	case !ended || outcome != passed && len(r.failed) == 0:
		return nil, fmt.Errorf("the run did not pass: %q", outcome)
	}
	p := &page{run: r}
	p.paragraph("# Benchmarks")
	p.paragraph(introduction)
	p.machine()
	for _, s := range subjects {
		p.subject(s)
	}
	p.peers()
	return p.text.Bytes(), errors.Join(p.missing...)
}

// A page is one that is being written.
type page struct {
	run     recorded
	text    bytes.Buffer
	missing []error
}

// paragraph writes text with lines of at most lineLength. Quotes around code become backquotes, which Go's
// raw strings cannot contain.
func (p *page) paragraph(text string) {
	if p.text.Len() > 0 {
		p.text.WriteByte('\n')
	}
	length := 0
	for _, word := range strings.Fields(strings.ReplaceAll(text, `"`, "`")) {
		switch {
		case length == 0:
		case length+1+len([]rune(word)) > lineLength:
			p.text.WriteByte('\n')
			length = 0
		default:
			p.text.WriteByte(' ')
			length++
		}
		p.text.WriteString(word)
		length += len([]rune(word))
	}
	p.text.WriteByte('\n')
}

// table writes rows, the first of which is the heading.
func (p *page) table(rows [][]string) {
	p.text.WriteByte('\n')
	for i, row := range rows {
		p.text.WriteString(strings.TrimSpace("| "+strings.Join(row, " | ")+" |") + "\n")
		if i == 0 {
			p.text.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
}

func (p *page) fact(key string) string {
	value := p.run.facts[key]
	if value == "" {
		p.missing = append(p.missing, fmt.Errorf("the output does not say %s", key))
	}
	return value
}

// machine writes on what the run was made, and whether that was quiet.
func (p *page) machine() {
	p.paragraph("## The run")
	rows := [][]string{{"", ""}}
	for _, line := range []fact{
		{"date", "date"}, {"command", "command"}, {"commit", "commit"}, {"machine", "machine"},
		{"processor", "processor"}, {"cores", "cores"}, {"memory", "memory"}, {"kernel", "kernel"},
		{"Go", "compiler"}, {"PostgreSQL", "postgresql"}, {"duration in minutes", "minutes"},
	} {
		value := p.fact(line.value)
		if line.key == "command" || line.key == "commit" {
			value = "`" + value + "`"
		}
		rows = append(rows, []string{line.key, value})
	}
	rows = append(rows, []string{
		"load average, before and after", p.fact("load-before") + ", " + p.fact("load-after"),
	})
	p.table(rows)
	p.paragraph(p.quietness())
	if len(p.run.failed) > 0 {
		p.paragraph("**These failed, or missed their limit, and have no figures: " +
			strings.Join(p.run.failed, ", ") + ".**")
	}
	if again := p.run.facts["again"]; again != "" {
		p.paragraph("These missed a limit, and were measured again in the same run: " + again + ".")
	}
}

// quietness says whether other programs used the machine. The load average after a run is that of the run.
func (p *page) quietness() string {
	share := func(key string) float64 {
		busy, err := strconv.ParseFloat(p.fact(key), 64)
		if err != nil {
			return 1
		}
		return busy
	}
	before, after := share("busy-before"), share("busy-after")
	used := fmt.Sprintf("In the ten seconds before the run, other programs used %.0f %% of the processor time, "+
		"and in those after it %.0f %%.", before*100, after*100)
	if max(before, after) <= mostBusy {
		return used + " **The machine was quiet.**"
	}
	return used + " **The machine was not quiet**: only the ratios say something, and those of times less " +
		"than those of CPU time. The rates are too low, and the times too long."
}

// subject writes the tables and the sentences of one subject.
func (p *page) subject(s subject) {
	p.paragraph("## " + s.title)
	p.paragraph(s.setup)
	rows := [][]string{{"", "measured", "bound or peer", "ours, of that", "limit"}}
	for _, line := range s.rows {
		metrics, measured := p.run.metrics[line.benchmark]
		if p.failed(line.benchmark, measured) {
			rows = append(rows, []string{metricName.ReplaceAllString(line.name, "…"), "**failed**", "", "", ""})
			continue
		}
		if !measured && line.peer {
			continue
		}
		cells := []string{p.fill(line, line.name, metrics)}
		for _, cell := range []string{line.figure, line.bound, line.ratio, line.limit} {
			cells = append(cells, p.fill(line, cell, metrics))
		}
		rows = append(rows, cells)
	}
	p.table(rows)
	p.paragraph("**How to repeat it:**")
	fmt.Fprintf(&p.text, "\n```sh\nmake build && bin/research dev -- go test ./bench -run '^$' -bench '%s' \\\n"+
		"  -benchtime 1x -v%s\n```\n", pattern(s.benchmarks), p.flags(s.flags))
	p.paragraph("**What it does not say:** " + s.silent)
}

// failed reports whether a benchmark failed, or was not measured since the one that it is a part of failed.
func (p *page) failed(benchmark string, measured bool) bool {
	return slices.ContainsFunc(p.run.failed, func(name string) bool {
		return benchmark == name || !measured && strings.HasPrefix(benchmark, name+"/")
	})
}

// flags returns the flags of the run that begin so.
func (p *page) flags(prefixes []string) (text string) {
	if len(prefixes) == 0 {
		return ""
	}
	fields := strings.Fields(p.fact("flags"))
	for i := 0; i+1 < len(fields); i += 2 {
		for _, prefix := range prefixes {
			if strings.HasPrefix(fields[i], prefix) {
				text += " " + fields[i] + " " + fields[i+1]
			}
		}
	}
	return text
}

var metricName = regexp.MustCompile(`\{([^}]+)\}`)

// fill puts metrics into a cell: {requests/s} is the value with this unit.
func (p *page) fill(line row, cell string, metrics map[string]float64) string {
	return metricName.ReplaceAllStringFunc(cell, func(name string) string {
		value, found := metrics[strings.Trim(name, "{}")]
		if !found {
			p.missing = append(p.missing, fmt.Errorf("%s has no %s", line.benchmark, name))
		}
		return number(value)
	})
}

// number writes whole numbers and large ones without a fraction, and three digits of others.
func number(value float64) string {
	decimals := 2
	switch {
	case value == math.Trunc(value) || value >= 100:
		decimals = 0
	case value >= 10:
		decimals = 1
	}
	text := strconv.FormatFloat(value, 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole
}

// peers writes which servers of others were measured.
func (p *page) peers() {
	p.paragraph("## Peers")
	var measured []string
	for _, key := range []string{"smoothdb", "gotrue"} {
		if version := p.run.facts[key]; version != "" {
			measured = append(measured, version)
		}
	}
	if len(measured) == 0 {
		p.paragraph("This run measured no servers of others. " + howToGetPeers)
		return
	}
	p.paragraph("In the same run, in turns with ours, on the same PostgreSQL: " +
		strings.Join(measured, "; ") + ". " + howToGetPeers)
}
