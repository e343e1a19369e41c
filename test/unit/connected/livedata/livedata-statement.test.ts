import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  compileStatement,
  type DataConnectorKind,
  type ParamValue,
  QueryParam,
  readParams
} from "../../../../core/connected/livedata/index.js"

const kinds: ReadonlyArray<DataConnectorKind> = ["postgres", "sqlite", "mysql"]
const compiled = (sql: string, kind: DataConnectorKind, params: Readonly<Record<string, ParamValue>> = {}) =>
  compileStatement(sql, kind, new Map(Object.entries(params)))

describe("named parameters", () => {
  it("values are bound and never appear in the text of a statement", () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.string({ minLength: 4 }), (kind, value) => {
        const marked = `§${value}§`
        const params = {
          v: { type: "string", value: marked },
          list: { type: "string[]", value: [marked, "b"] }
        } as const
        const { text, values } = Either.getOrThrow(
          compiled(
            "select :v as a, ':v' as b, 1 as c where :v = 'x' or 'y' in (:list) /* :v */",
            kind,
            params
          )
        )
        expect(text).not.toContain(marked)
        expect(text).toContain("':v'")
        expect(values.filter((one) => one.value === marked).length).toBe(kind === "postgres" ? 2 : 3)
      })
    )
  })

  it("a parameter in quotes, comments, casts and slices is none", () => {
    const text = (sql: string, kind: DataConnectorKind) => Either.getOrThrow(compiled(sql, kind)).text
    expect(text("select 'a:b', $$:c$$, \":d\", x::text, a[1:2] from t -- :e", "postgres")).not.toContain("$1")
    expect(text("select ':a', `:b`, \":c\" from t # :d", "mysql")).not.toContain("?")
    expect(text("select ':a', [:b], `:c`, \":d\" from t /* :e */", "sqlite")).not.toContain("?")
  })

  it("an array within IN has a placeholder for each element, an empty one a list of nothing", () => {
    const list = (value: ReadonlyArray<number> | null) =>
      Either.getOrThrow(
        compiled("select 1 where a in (:ids) or :ids is null", "postgres", {
          ids: { type: "integer[]", value }
        })
      )
    expect(list([1, 2])).toEqual({
      text: "select 1 where a in ($1::bigint, $2::bigint) or $3::bigint is null",
      values: [
        { type: "integer", value: 1 },
        { type: "integer", value: 2 },
        { type: "integer", value: 2 }
      ]
    })
    expect(list([]).text).toContain("in (select null::bigint where false)")
    expect(list(null).values).toEqual([
      { type: "integer", value: null },
      { type: "integer", value: null }
    ])
  })

  it("an array within ANY is one placeholder in PostgreSQL, and elsewhere refused with the way that works", () => {
    const any = (kind: DataConnectorKind, type: "string[]" | "enum[]" = "string[]") =>
      compiled("select 1 where a = any(:ids)", kind, { ids: { type, value: ['a"b', "c"] } })
    expect(Either.getOrThrow(any("postgres"))).toEqual({
      text: "select 1 where a = any($1::text[])",
      values: [{ type: "string", value: '{"a\\"b","c"}' }]
    })
    expect(Either.getOrThrow(any("postgres", "enum[]")).text).toContain("any($1)")
    for (const kind of ["mysql", "sqlite"] as const)
      expect(any(kind)).toMatchObject({ left: expect.stringContaining("IN (:ids)") })
  })

  it("a list of enums takes the type of what it is compared with", () => {
    const list = (sql: string, value: ReadonlyArray<string>) =>
      Either.getOrThrow(compiled(sql, "postgres", { e: { type: "enum[]", value } })).text
    expect(list("select 1 where a in (:e)", ["x", "y"])).toBe("select 1 where a in ($1, $2)")
    expect(list("select 1 where a in (:e)", [])).toBe("select 1 where a = any ('{}')")
    expect(list("select 1 where a not in (:e)", [])).toBe("select 1 where a <> all ('{}')")
  })

  it("what is no single SELECT is refused with the reason", () => {
    for (const kind of kinds)
      for (const sql of [
        "",
        ";",
        "values (1)",
        "table t",
        "select 1; select 2",
        "select 1 \u0000",
        "\ufeffselect 1",
        "select 'a",
        "select /* a",
        "select :nobody",
        "select ?x"
      ])
        if (!(kind === "postgres" && sql === "select ?x"))
          expect([kind, sql, Either.isLeft(compiled(sql, kind))]).toEqual([kind, sql, true])
  })

  it("any text at all is compiled or refused, in time that grows with its length", () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.string({ unit: "binary", maxLength: 200 }), (kind, text) => {
        compiled(`select ${text}`, kind)
      })
    )
    for (const kind of kinds)
      for (const piece of ["(", "f(1, ", "'", "/*", "$$", "a.", ":a ", "[", "--\n"])
        compiled(`select ${piece.repeat(20_000)}`, kind)
  })
})

describe("values of parameters", () => {
  const read = (declared: ReadonlyArray<unknown>, given: Readonly<Record<string, unknown>>) =>
    Effect.runPromise(
      Effect.either(
        readParams(
          declared.map((one) => QueryParam.parse(one)),
          given
        )
      )
    )
  const accepts = async (type: string, value: unknown, more: object = {}) =>
    Either.isRight(await read([{ name: "p", type, ...more }], { p: value }))

  it("are strict about their types", async () => {
    const good: ReadonlyArray<readonly [string, unknown]> = [
      ["string", "a"],
      ["integer", 9_007_199_254_740_991],
      ["integer", "9007199254740993"],
      ["integer", "-9223372036854775808"],
      ["number", -1.5],
      ["number", "12345678901234567890.0000000001"],
      ["integer[]", [1, "9007199254740993"]],
      ["boolean", false],
      ["date", "2024-02-29"],
      ["timestamp", "2026-01-31T09:30:00+02:00"],
      ["uuid", "0b6f2f4e-5d0c-4a53-9d4e-0a7a5d0d6a11"],
      ["string[]", ["a", "b"]],
      ["integer[]", []]
    ]
    for (const [type, value] of good)
      expect([type, value, await accepts(type, value)]).toEqual([type, value, true])
    const bad: ReadonlyArray<readonly [string, unknown]> = [
      ["string", 1],
      ["string", "a\u0000"],
      ["string", "\ud800"],
      ["integer", "1.0"],
      ["integer", "18446744073709551616"],
      ["integer", 1.5],
      ["integer", 2 ** 53],
      ["number", "1,5"],
      ["number", "NaN"],
      ["boolean", "true"],
      ["date", "2023-02-29"],
      ["date", "2023-1-1"],
      ["timestamp", "2026-01-31T09:30:00"],
      ["uuid", "nonsense"],
      ["string[]", "a"],
      ["string[]", ["a", null]],
      ["integer[]", [1, "two"]]
    ]
    for (const [type, value] of bad)
      expect([type, value, await accepts(type, value)]).toEqual([type, value, false])
  })

  it("keep to bounds, choices and patterns, which match whole", async () => {
    expect(await accepts("integer", 3, { min: 1, max: 3 })).toBe(true)
    expect(await accepts("integer", 4, { min: 1, max: 3 })).toBe(false)
    expect(await accepts("string", "abcd", { max: 3 })).toBe(false)
    expect(await accepts("string[]", ["abcd", "a"], { max: 1 })).toBe(false)
    expect(await accepts("enum", "a", { enum: ["a", "b"] })).toBe(true)
    expect(await accepts("enum", "c", { enum: ["a", "b"] })).toBe(false)
    expect(await accepts("string", "AB-12", { pattern: "[A-Z]+-\\d+" })).toBe(true)
    expect(await accepts("string", "xAB-12", { pattern: "[A-Z]+-\\d+" })).toBe(false)
  })

  it("an absent one has its default, else is null where it is optional, else is missing", async () => {
    const value = (more: object) => read([{ name: "p", type: "integer", ...more }], {})
    expect(Either.getOrThrow(await value({ default: 3 })).get("p")?.value).toBe(3)
    expect(Either.getOrThrow(await value({ required: false })).get("p")?.value).toBe(null)
    expect(Either.isLeft(await value({}))).toBe(true)
    expect(Either.getOrThrow(await read([], { unknown: 1 })).size).toBe(0)
  })

  it("beyond 2^53 keep their digits, and are compared with bounds by all of them", async () => {
    const value = (given: unknown, more: object = {}) =>
      read([{ name: "p", type: "integer", ...more }], { p: given })
    expect(Either.getOrThrow(await value("9007199254740993")).get("p")?.value).toBe("9007199254740993")
    expect(Either.getOrThrow(await value("+0042")).get("p")?.value).toBe(42)
    expect(Either.isLeft(await value("9007199254740993", { max: 9007199254740992 }))).toBe(true)
    expect(await value(2 ** 53)).toMatchObject({ left: expect.stringContaining("as a string") })
  })

  it("are tried on patterns in time that grows with both, whatever the pattern", async () => {
    const worst: ReadonlyArray<readonly [string, string]> = [
      [`${".?".repeat(26)}b`, "a".repeat(500)],
      ["(a+)+b", "a".repeat(10_000)],
      ["(?:a|aa)+b", "a".repeat(10_000)],
      [`${".{1,1000}".repeat(55)}`, "a".repeat(500)],
      ["(((a|b){1,10}){1,10}){1,10}c", "a".repeat(500)],
      ["[\\p{L}\\p{N}]{1,900}!", "a".repeat(500)],
      ["(".repeat(240) + ")".repeat(240), "a".repeat(9_000)]
    ]
    for (const [pattern, text] of worst) {
      const before = process.cpuUsage()
      const ended = await read([{ name: "p", type: "string[]", pattern }], { p: Array(1000).fill(text) })
      expect(Either.isLeft(ended)).toBe(true)
      const { system, user } = process.cpuUsage(before)
      expect([pattern.slice(0, 20), (user + system) / 1000 < 2_000]).toEqual([pattern.slice(0, 20), true])
    }
  })

  it("have the patterns that people write", async () => {
    const good: ReadonlyArray<readonly [string, string]> = [
      ["[A-Z]{2}-\\d{4,6}", "AB-12345"],
      ["(?:\\+49|0)[1-9]\\d{1,14}", "+4930123456"],
      ["[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+", "a.b@example.org"],
      ["\\p{Lu}[\\p{L} .'\\-]{1,80}", "Østergård Müller"],
      ["(?<year>\\d{4})\\/(?<no>\\d+)", "2024/17"],
      ["\\u00e4+", "ää"],
      ["[^\\]]+", "a[b"],
      [".", "😀"]
    ]
    for (const [pattern, text] of good)
      expect([pattern, await accepts("string", text, { pattern })]).toEqual([pattern, true])
    expect(await accepts("string", "2024-17", { pattern: "(?<year>\\d{4})\\/(?<no>\\d+)" })).toBe(false)
  })
})
