/* SPDX-License-Identifier: MIT */
/**
 * @file sample.c
 * @brief Reads a ring buffer. Fast.
 */

#include <stdio.h>
#include "ring.h"

#define RING_SIZE 64
/** Returns the smaller. */
#define MIN(a, b) \
    ((a) < (b) ? (a) : (b))
#ifndef GUARD
#define GUARD
#endif

/* A ring of bytes. */
typedef struct ring {
    unsigned char *bytes;
    int (*on_full)(struct ring *, int);
} ring_t;

struct point { int x, y; };
struct opaque;
typedef struct { int a; } anonymous_t;
typedef unsigned long long word;
typedef int (*compare_fn)(const void *, const void *);
typedef enum { RED, GREEN } colour_t;
enum state { ON, OFF };
union value { int i; float f; };

extern int errors;
static int hidden_count;
const char *const NAMES[] = { "a", "b" };
static const int TABLE_SIZE = 3;
int (*handler)(int);

/* Makes a ring.
 * Never fails. */
ring_t *ring_new(size_t size,
                 int (*on_full)(ring_t *, int));

// Pushes one byte.
int ring_push(ring_t *ring, unsigned char byte)
{
    int local = 0;
    return local;
}

static inline void ring_free(ring_t *ring) {}

int (*choose(int which))(int) { return 0; }

#ifdef _WIN32
void win_only(void) {}
#else
void unix_only(void) {}
#endif

int old_style(a, b)
    int a;
    char b;
{
    return a;
}

int main(int argc, char **argv) { return 0; } /* the end */
