package engine_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// matchingF1 runs the example about a customer file and returns the F1 score of pairs that nobody has reviewed.
func matchingF1(t *testing.T, stages engine.Stages) float64 {
	t.Helper()
	report := run(t, "examples/matching/matching.json", project.Options{Seed: 1, Set: []string{"learn.epochs=10"}}, stages)
	if report.Status != "optimal" {
		t.Errorf("the inference is %s", report.Status)
	}
	return report.Evaluations[0].Values["F1"]
}

// generateMatching makes the tables of the example about a customer file.
func generateMatching() map[string][]byte {
	records := customerFile{Persons: 240, Seed: 4}.Generate()
	tables := map[string]*bytes.Buffer{}
	line := func(table, format string, fields ...any) {
		if tables[table] == nil {
			tables[table] = new(bytes.Buffer)
		}
		fmt.Fprintf(tables[table], format+"\n", fields...)
	}
	seen := map[string]bool{}
	line("customers.csv", "id,name,street,city,email,phone")
	for _, r := range records {
		line("customers.csv", "%s,%s,%s,%s,%s,%s", r.ID, r.Name(), r.Street, r.City, r.Email, r.Phone)
		line("family.tsv", "%s\t%s", r.ID, r.Family)
		line("address.tsv", "%s\t%s, %s", r.ID, r.Street, r.City)
		if r.Email != "" {
			line("email.tsv", "%s\t%s", r.ID, r.Email)
		}
		if r.Phone != "" {
			line("phone.tsv", "%s\t%s", r.ID, r.Phone)
		}
		line("first.tsv", "%s\t%s", r.ID, r.First)
		if !seen[r.First] {
			seen[r.First] = true
			line("letters.tsv", "%s\t%s", r.First, letters(r.First))
		}
		line("self.tsv", "%s\t%s", r.ID, r.ID)
		if reviewer(r.Person) == "truth.tsv" {
			line("persons.tsv", "%s\tperson%03d", r.ID, r.Person)
		}
	}
	for a := range records {
		for b := range records {
			if a == b || !candidates(&records[a], &records[b]) {
				continue
			}
			line("candidates.tsv", "%s\t%s", records[a].ID, records[b].ID)
			if table := truthTable(records[a].Person, records[b].Person); table != "" {
				same := 0
				if records[a].Person == records[b].Person {
					same = 1
				}
				line(table, "%s\t%s\t%d", records[a].ID, records[b].ID, same)
			}
		}
	}
	files := map[string][]byte{}
	for name, table := range tables {
		files["data/"+name] = table.Bytes()
	}
	return files
}

// candidates tells whether two records are compared at all: they share a telephone, an e-mail address, or the first
// two letters of the family name and the first letter of the city.
func candidates(a, b *customer) bool {
	return a.Phone != "" && a.Phone == b.Phone || a.Email != "" && a.Email == b.Email ||
		a.Family[:2] == b.Family[:2] && a.City[:1] == b.City[:1]
}

// truthTable says where the truth about a pair stands; "" if nowhere, for persons of different tables.
func truthTable(a, b int) string {
	if reviewer(a) != reviewer(b) {
		return ""
	}
	return reviewer(a)
}

// reviewer names the table with the truth about a person: of ten, somebody has reviewed five, and two are kept to
// choose the best epoch by.
func reviewer(person int) string {
	switch {
	case person%10 < 5:
		return "reviewed.tsv"
	case person%10 < 7:
		return "validation.tsv"
	}
	return "truth.tsv"
}

// letters lists the places of a first name's features: the name, and its groups of three letters, ends included.
func letters(first string) string {
	const places = 256
	text := "^" + strings.ToLower(first) + "$"
	parts := []string{text}
	for at := range len(text) - 2 {
		parts = append(parts, text[at:at+3])
	}
	found := map[uint32]bool{}
	for _, part := range parts {
		hash := fnv.New32a()
		hash.Write([]byte(part))
		found[hash.Sum32()%places] = true
	}
	var b strings.Builder
	for _, place := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&b, " %d", place)
	}
	return b.String()[1:]
}
