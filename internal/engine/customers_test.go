package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// customerFile generates a customer file as firms have them: the same person entered several times, with typing errors,
// nicknames, old addresses and missing fields, and relatives who share a name, an address and a telephone. The zero
// value of a field means its default.
type customerFile struct {
	Persons int // default 120
	Seed    uint64
}

// customer is one record. Email and Phone may be empty.
type customer struct {
	ID                                        string
	First, Family, Street, City, Email, Phone string
	// Person is whose record it is, which a real file does not say.
	Person int
}

// Name is the full name.
func (c *customer) Name() string { return c.First + " " + c.Family }

// Names and places the generator draws from. A first name is followed by its nicknames.
var (
	firstNames = [][]string{{"Robert", "Bob"}, {"William", "Bill"}, {"Margaret", "Peggy"}, {"Elizabeth", "Betty"},
		{"Richard", "Dick"}, {"Katherine", "Kate"}, {"Edward", "Ted"}, {"James", "Jim"}, {"Susan", "Sue"},
		{"Anthony", "Tony"}, {"Rebecca", "Becky"}, {"Michael", "Mick"}, {"Helen", "Nell"}, {"Charles", "Chuck"},
		{"Barbara", "Babs"}, {"Henry", "Harry"}, {"Alice"}, {"Martin"}, {"Laura"}, {"Peter"}, {"Diana"}, {"Simon"},
		{"Clara"}, {"Hugh"}, {"Irene"}, {"Oscar"}, {"Nora"}, {"Victor"}}
	familyNames = []string{"Smith", "Jones", "Taylor", "Brown", "Williams", "Wilson", "Johnson", "Davies", "Patel",
		"Wright", "Walker", "Thompson", "Hughes", "Green", "Clarke", "Baker", "Cooper", "Turner", "Parker", "Morris",
		"Bennett", "Murphy", "Foster", "Marsh", "Holt", "Singh", "Lowe", "Barton"}
	streetNames = []string{"Mill", "Church", "Station", "Park", "Victoria", "Green", "Manor", "Kings", "Queens",
		"Grange", "Orchard", "Bridge", "Castle", "Abbey", "Meadow", "Harbour"}
	streetKinds = [][2]string{{"Street", "St"}, {"Road", "Rd"}, {"Avenue", "Ave"}, {"Lane", "Ln"}}
	cities      = []string{"Leeds", "York", "Hull", "Derby", "Truro", "Ely"}
)

// Generate makes the records in random order. The same generator makes the same ones on every machine.
func (g customerFile) Generate() []customer {
	if g.Persons == 0 {
		g.Persons = 120
	}
	c := clerk{rand.New(rand.NewPCG(g.Seed, 0x637573))}
	var records []customer
	var last customer
	for person := range g.Persons {
		truth := c.person()
		if person > 0 && c.chance(0.25) { // a relative of the one before
			truth.Family, truth.Street, truth.City, truth.Phone = last.Family, last.Street, last.City, last.Phone
			truth.Email = c.email(truth)
		}
		truth.Person = person
		last = truth
		records = append(records, truth)
		for copies := 0; copies < 4 && c.chance(0.55); copies++ {
			records = append(records, c.again(truth))
		}
	}
	c.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	for k := range records {
		records[k].ID = fmt.Sprintf("c%03d", k+1)
	}
	return records
}

// clerk enters records.
type clerk struct{ *rand.Rand }

func (c clerk) chance(p float64) bool { return c.Float64() < p }

func one[T any](c clerk, of []T) T { return of[c.IntN(len(of))] }

// person makes a person's first record, which is right and complete.
func (c clerk) person() customer {
	p := customer{First: one(c, firstNames)[0], Family: one(c, familyNames), Phone: fmt.Sprintf("01%08d", c.IntN(1e8))}
	p.Street, p.City = c.street(), one(c, cities)
	p.Email = c.email(p)
	return p
}

func (c clerk) street() string {
	return fmt.Sprintf("%d %s %s", 1+c.IntN(90), one(c, streetNames), one(c, streetKinds)[0])
}

func (c clerk) email(p customer) string {
	host := one(c, []string{"example.com", "example.org", "example.net"})
	return fmt.Sprintf("%s.%s%d@%s", strings.ToLower(p.First[:1]), strings.ToLower(p.Family), 10+c.IntN(90), host)
}

// again enters a person once more.
func (c clerk) again(p customer) customer {
	switch {
	case c.chance(0.35):
		p.First = c.nickname(p.First)
	case c.chance(0.15):
		p.First = p.First[:1] + "."
	case c.chance(0.25):
		p.First = c.typo(p.First)
	}
	if c.chance(0.25) {
		p.Family = c.typo(p.Family)
	}
	if c.chance(0.15) { // moved
		p.Street, p.City, p.Phone = c.street(), one(c, cities), ""
	}
	if c.chance(0.4) {
		p.Street = abbreviated(p.Street)
	}
	if c.chance(0.2) {
		p.Street = c.typo(p.Street)
	}
	switch {
	case c.chance(0.45):
		p.Email = ""
	case c.chance(0.3):
		p.Email = c.email(p)
	}
	if c.chance(0.45) {
		p.Phone = ""
	}
	return p
}

// nickname returns the short form of a name that has one.
func (c clerk) nickname(first string) string {
	for _, names := range firstNames {
		if names[0] == first {
			return names[len(names)-1]
		}
	}
	return first
}

// typo swaps two neighbouring letters, leaves one out or doubles one; the first stays.
func (c clerk) typo(word string) string {
	if len(word) < 4 {
		return word
	}
	at := 1 + c.IntN(len(word)-2)
	letters := []byte(word)
	switch c.IntN(3) {
	case 0:
		letters[at], letters[at+1] = letters[at+1], letters[at]
	case 1:
		letters = slices.Delete(letters, at, at+1)
	default:
		letters = slices.Insert(letters, at, letters[at])
	}
	return string(letters)
}

// abbreviated shortens the kind of street.
func abbreviated(street string) string {
	for _, kind := range streetKinds {
		if name, ok := strings.CutSuffix(street, kind[0]); ok {
			return name + kind[1]
		}
	}
	return street
}

// The same seed makes the same file; some persons are there several times, and some persons share a telephone.
func TestCustomers(t *testing.T) {
	records := customerFile{Seed: 1}.Generate()
	again, other := customerFile{Seed: 1}.Generate(), customerFile{Seed: 2}.Generate()
	if !slices.Equal(records, again) || slices.Equal(records, other) {
		t.Error("the seed does not decide what is generated")
	}
	copies, phones := map[int]int{}, map[string]map[int]bool{}
	for _, r := range records {
		if r.ID == "" || r.Name() == " " || r.Street == "" || r.City == "" {
			t.Errorf("incomplete: %+v", r)
		}
		copies[r.Person]++
		if r.Phone != "" {
			if phones[r.Phone] == nil {
				phones[r.Phone] = map[int]bool{}
			}
			phones[r.Phone][r.Person] = true
		}
	}
	several, shared := 0, 0
	for _, n := range copies {
		if n > 1 {
			several++
		}
	}
	for _, persons := range phones {
		if len(persons) > 1 {
			shared++
		}
	}
	if len(copies) != 120 || several < 40 || shared < 15 {
		t.Errorf("%d persons, %d of them several times; %d shared telephones", len(copies), several, shared)
	}
}

func TestTypoKeepsShortWords(t *testing.T) {
	c := clerk{rand.New(rand.NewPCG(1, 0))}
	for range 50 {
		if got := c.typo("Ely"); got != "Ely" {
			t.Fatalf("Ely became %s", got)
		}
		if got := c.typo("Taylor"); got[0] != 'T' || len(got) < 5 || len(got) > 7 {
			t.Fatalf("Taylor became %s", got)
		}
	}
}
