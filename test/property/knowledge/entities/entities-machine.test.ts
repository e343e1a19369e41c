import * as Either from "effect/Either"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  aliasList,
  type Command,
  decide,
  type EntityRecord,
  newRecord
} from "../../../../core/knowledge/entities/index.js"
import { type EntityId, nameNorm } from "../../../../core/platform/kernel/index.js"

const id = (letter: string) => `ent_0000000000000000000000000${letter}` as EntityId
const at = "2026-01-01T00:00:00.000Z"
const name = fc.constantFrom("Foo", "foo", "FOO ", "Bar", "Ｆｏｏ", "Baz Qux")
const aliases = fc.array(name, { maxLength: 3 })
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    _tag: fc.constant("Edit" as const),
    fields: fc.record(
      { name, aliases, description: fc.constantFrom("", "text"), type: name },
      { requiredKeys: [] }
    )
  }),
  fc.record({ _tag: fc.constant("Observe" as const), name, aliases }),
  fc.record({ _tag: fc.constantFrom("Delete" as const, "Retire" as const), at: fc.constant(at) }),
  fc.constant<Command>({ _tag: "Restore" }),
  fc.constant<Command>({ _tag: "MergeInto", head: id("1") }),
  fc.record({
    _tag: fc.constantFrom("Absorb" as const, "Release" as const),
    merged: fc.constantFrom(id("2"), id("3"))
  })
)
const born = (origin: "manual" | "extraction") =>
  newRecord(
    {
      id: id("0"),
      name: "Foo",
      type: "thing",
      origin,
      authority: origin === "manual" ? "asserted" : "machine_extracted"
    },
    at
  )
const apply = (now: EntityRecord, one: Command) => Either.getOrElse(decide(now, one), () => now)
const unversioned = ({ version: _, ...rest }: EntityRecord) => JSON.stringify(rest)

describe("an entity", () => {
  it("counts exactly its changes: the same object for none, one version on for each", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("manual" as const, "extraction" as const),
        fc.array(command),
        (origin, commands) => {
          let now = born(origin)
          for (const one of commands) {
            const next = apply(now, one)
            if (next !== now) {
              expect(next.version).toBe(now.version + 1)
              expect(unversioned(next)).not.toBe(unversioned(now))
            }
            expect(next.nameNorm).toBe(nameNorm(next.name))
            // Doing it again does nothing; only what was both merged and deleted is restored in two steps.
            if (one._tag !== "Restore") expect(apply(next, one)).toBe(next)
            now = next
          }
        }
      )
    )
  })

  it("keeps what a person set, whatever extraction sees", () => {
    fc.assert(
      fc.property(fc.array(command), fc.array(command), (before, later) => {
        const edited = apply(before.reduce(apply, born("extraction")), {
          _tag: "Edit",
          fields: { name: "Mine", aliases: ["Own"], description: "said" }
        })
        fc.pre(edited.deletedAt === null)
        const seen = later.filter(({ _tag }) => _tag === "Observe" || _tag === "Retire").reduce(apply, edited)
        expect(seen).toBe(edited)
      })
    )
  })

  it("never loses a name of a person's entity to extraction, which only adds aliases", () => {
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        const seen = commands
          .filter(({ _tag }) => _tag === "Observe" || _tag === "Retire")
          .reduce(apply, born("manual"))
        expect({ ...seen, version: 1, extractedAliases: [] }).toEqual(born("manual"))
      })
    )
  })

  it("is retired by extraction only while no person has touched it", () => {
    expect(apply(born("manual"), { _tag: "Retire", at }).deletedAt).toBeNull()
    expect(apply(born("extraction"), { _tag: "Retire", at }).retired).toBe(true)
    const touched = apply(born("extraction"), { _tag: "Edit", fields: { description: "x" } })
    expect(apply(touched, { _tag: "Retire", at })).toBe(touched)
  })

  it("cannot be merged into itself or twice", () => {
    expect(Either.isLeft(decide(born("manual"), { _tag: "MergeInto", head: id("0") }))).toBe(true)
    const merged = apply(born("manual"), { _tag: "MergeInto", head: id("1") })
    expect(Either.isLeft(decide(merged, { _tag: "MergeInto", head: id("2") }))).toBe(true)
  })

  it("lists aliases by nameNorm, each once, without its own name", () => {
    fc.assert(
      fc.property(fc.array(name), name, (list, own) => {
        const norms = aliasList(list, own).map(nameNorm)
        expect(norms).toEqual(
          [...new Set(list.map(nameNorm))].filter((norm) => norm !== nameNorm(own)).sort()
        )
      })
    )
  })
})
