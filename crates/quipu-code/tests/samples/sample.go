// Copyright 2026 Nobody. All rights reserved.

// Package pay charges cards. It is small.
package pay

import (
	"context"
	stdlog "log"
	. "math"
	_ "embed"

	"example.com/shop/v2/money"
)

import "fmt"

// Limit is the most that is charged.
const Limit = 100

const (
	// First is one.
	First Kind = iota
	second
)

var ErrEmpty = errors.New("empty")

var (
	registry map[string]int
	A, B     = 1, 2
)

// Kind says what it is.
type Kind int

type (
	// Card is a card.
	Card struct {
		Number string `json:"number"`
		owner  *Owner
	}
	alias = string
)

// Charger charges.
type Charger interface {
	fmt.Stringer
	// Charge charges it.
	Charge(ctx context.Context, amount int) (int, error)
	hidden()
}

type Number interface {
	~int | ~float64
}

type Stack[T any] struct{ items []T }

// Push adds an item. Then more.
func (s *Stack[T]) Push(item T) { s.items = append(s.items, item) }

func (c Card) String() string { return c.Number }

// Charge charges a card
// in Zürich.
func Charge(
	ctx context.Context,
	card *Card, // the card
	opts ...Option,
) (receipt string, err error) {
	inner := func() {}
	return "", nil
}

func Map[T, U any](in []T, f func(T) U) []U { return nil }

func init() {}

func asm(x int) int
