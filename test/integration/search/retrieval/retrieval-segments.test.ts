import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ByteCache } from "../../../../core/platform/caching/byte-cache.js"
import { ByteReader, ByteWriter } from "../../../../core/search/segments/bytes.js"
import {
  decodeDead,
  encodeDead,
  isDead,
  noneDead,
  withDead
} from "../../../../core/search/segments/dead-set.js"
import { openList, placesIn } from "../../../../core/search/segments/positions.js"
import {
  type EncodedSegment,
  encodeSegment,
  type IndexedChunk
} from "../../../../core/search/segments/segment.js"
import {
  blockOf,
  decodeDirectory,
  EntryReader,
  findPostings,
  ordinalOf
} from "../../../../core/search/segments/segment-read.js"
import {
  anyIndexedChunks as chunks,
  occurrencesOf,
  placesOf,
  anyTerm as term
} from "../../../support/retrieval.js"

/** Decodes a segment and returns the content of each chunk. */
const contents = ({ blocks, directory }: EncodedSegment) => {
  const { labels, lengths, tieKeys } = decodeDirectory(directory)
  const places = Array.from(labels, () => new Map<string, ReadonlyArray<number>>())
  for (const block of blocks)
    for (const entry = new EntryReader(block); entry.next(); ) {
      const list = openList(entry.list)
      const ordinals = Array.from(list.ordinals)
      placesIn(list, ordinals).forEach((found, i) => {
        places[ordinals[i] ?? -1]?.set(entry.term, found)
      })
    }
  return Array.from(labels, (label, ordinal) => ({
    label,
    length: lengths[ordinal] ?? -1,
    tieKey: tieKeys[ordinal] ?? -1,
    places: places[ordinal] ?? new Map()
  }))
}

const sorted = (list: ReadonlyArray<IndexedChunk>) => [...list].sort((a, b) => a.label - b.label)

const expected = (list: ReadonlyArray<IndexedChunk>) =>
  sorted(list).map((chunk) => ({
    label: chunk.label,
    length: chunk.length,
    tieKey: chunk.tieKey,
    places: placesOf(chunk)
  }))

describe("bytes", () => {
  it("bring every number and text back", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2 ** 31 - 1), fc.string({ unit: "binary" }), fc.nat(0xffffffff))),
        (rows) => {
          const writer = new ByteWriter(1)
          for (const [number, text, wide] of rows) {
            writer.varint(number)
            writer.text(text)
            writer.uint32(wide)
          }
          const reader = new ByteReader(writer.finish())
          for (const row of rows) expect([reader.varint(), reader.text(), reader.uint32()]).toEqual(row)
          expect(reader.at).toBe(writer.length)
        }
      )
    )
  })
})

describe("a segment", () => {
  it("gives back what was put in, whatever the order", () => {
    fc.assert(
      fc.property(chunks, (list) => {
        const encoded = encodeSegment(list)
        expect(contents(encoded)).toEqual(expected(list))
        expect(encodeSegment([...list].reverse())).toEqual(encoded)
      })
    )
  })

  it("finds every term and no other", () => {
    fc.assert(
      fc.property(chunks, term, (list, other) => {
        const encoded = encodeSegment(list)
        const directory = decodeDirectory(encoded.directory)
        const find = (wanted: string) => {
          const block = encoded.blocks[blockOf(directory, wanted)]
          return block === undefined ? null : findPostings(block, wanted)
        }
        const all = new Set(list.flatMap(({ terms }) => terms))
        for (const wanted of [...all, other, `${other}x`]) {
          const holding = sorted(list).filter(({ terms }) => terms.includes(wanted))
          const found = find(wanted)
          expect(found?.chunkCount ?? 0).toBe(holding.length)
          const ordinals = found === null ? [] : Array.from(openList(found).ordinals)
          expect(ordinals.map((ordinal) => directory.labels[ordinal])).toEqual(
            holding.map(({ label }) => label)
          )
        }
      })
    )
  })

  it("gives the positions of some chunks as it gives those of all", () => {
    fc.assert(
      fc.property(chunks, fc.array(fc.nat(40), { maxLength: 10 }), (list, picks) => {
        const ordinals = [...new Set(picks)].sort((a, b) => a - b)
        for (const block of encodeSegment(list).blocks)
          for (const entry = new EntryReader(block); entry.next(); ) {
            const list = openList(entry.list)
            const held = Array.from(list.ordinals)
            const all = placesIn(list, held)
            expect(placesIn(list, ordinals)).toEqual(
              ordinals.map((ordinal) => all[held.indexOf(ordinal)] ?? [])
            )
          }
      })
    )
  })

  it("finds the positions of any chunk of a long list, be they of one width or of several", () => {
    const place = fc.oneof(fc.nat(200), fc.integer({ min: 300, max: 60_000 }), fc.nat(2 ** 31 - 1))
    const places = (from: fc.Arbitrary<number>) =>
      fc.array(fc.uniqueArray(from, { minLength: 1, maxLength: 4 }), { minLength: 40, maxLength: 60 })
    fc.assert(
      fc.property(fc.oneof(places(fc.nat(200)), places(place)), fc.array(fc.nat(70)), (lists, picks) => {
        const at = lists.map((list) => [...list].sort((a, b) => a - b))
        const [block] = encodeSegment(
          at.map((positions, i) => ({
            label: i + 1,
            length: 9,
            tieKey: i,
            ...occurrencesOf(new Map([["t", positions]]))
          }))
        ).blocks
        const found = block === undefined ? null : findPostings(block, "t")
        const wanted = [...new Set(picks)].sort((a, b) => a - b)
        expect(found === null ? null : placesIn(openList(found), wanted)).toEqual(
          wanted.map((ordinal) => at[ordinal] ?? [])
        )
      })
    )
  })

  it("spreads over many blocks and stays searchable", () => {
    const list = Array.from({ length: 300 }, (_, i) => ({
      label: i + 1,
      length: 50,
      tieKey: i,
      ...occurrencesOf(
        new Map(Array.from({ length: 50 }, (_, j) => [`t${(i * 31 + j * 7) % 5000}`, [j, j + 100]]))
      )
    }))
    const encoded = encodeSegment(list)
    const directory = decodeDirectory(encoded.directory)
    expect(encoded.blocks.length).toBeGreaterThan(3)
    for (let i = 0; i < 5000; i++) {
      const wanted = `t${i}`
      const holding = list.filter(({ terms }) => terms.includes(wanted)).length
      const block = encoded.blocks[blockOf(directory, wanted)]
      expect(block === undefined ? 0 : (findPostings(block, wanted)?.chunkCount ?? 0)).toBe(holding)
    }
  })

  it("knows the ordinal of each of its labels", () => {
    fc.assert(
      fc.property(chunks, fc.nat(), (list, other) => {
        const directory = decodeDirectory(encodeSegment(list).directory)
        sorted(list).forEach(({ label }, ordinal) => {
          expect(ordinalOf(directory, label)).toBe(ordinal)
        })
        if (!list.some(({ label }) => label === other)) expect(ordinalOf(directory, other)).toBe(-1)
      })
    )
  })
})

describe("the set of removed chunks", () => {
  it("holds what was put in, once, and survives encoding", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.array(fc.nat(499), { maxLength: 20 }), { maxLength: 5 }),
        (size, waves) => {
          const model = new Set<number>()
          let dead = noneDead
          for (const wave of waves) {
            const inside = wave.filter((ordinal) => ordinal < size)
            for (const ordinal of inside) model.add(ordinal)
            dead = decodeDead(encodeDead(withDead(dead, inside, size)), size)
            expect(dead.count).toBe(model.size)
            for (let i = 0; i < size; i++) expect(isDead(dead, i)).toBe(model.has(i))
          }
        }
      )
    )
  })
})

describe("the cache", () => {
  it("never weighs more than its limit and forgets the least recently used first", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 60 })), {
          maxLength: 100
        }),
        (steps) => {
          const cache = new ByteCache<number>(100)
          interface Held {
            readonly key: string
            readonly value: number
            readonly size: number
            readonly group: string
          }
          let model: Array<Held> = []
          steps.forEach(([write, name, size], value) => {
            const key = `${name}`
            const group = `${size % 3}`
            if (write && name === 0) {
              cache.dropGroup(group)
              model = model.filter((entry) => entry.group !== group)
            }
            const held = model.find((entry) => entry.key === key)
            model = model.filter((entry) => entry.key !== key)
            if (write) {
              cache.set(key, value, size, group)
              model.push({ key, value, size, group })
              while (model.reduce((sum, entry) => sum + entry.size, 0) > 100) model.shift()
            } else {
              expect(cache.get(key)).toBe(held?.value)
              if (held !== undefined) model.push(held)
            }
            expect(cache.sizeBytes).toBe(model.reduce((sum, entry) => sum + entry.size, 0))
          })
        }
      )
    )
  })

  it("does not keep what is heavier than all of it", () => {
    const cache = new ByteCache<number>(10)
    cache.set("a", 1, 5)
    cache.set("b", 2, 11)
    expect([cache.get("a"), cache.get("b")]).toEqual([1, undefined])
  })
})
