import * as Either from "effect/Either"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  compileStatement,
  type DataConnectorKind,
  type ParamValue,
  QueryParam,
  readParams
} from "../../../core/livedata/index.js"

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
    readParams(
      declared.map((one) => QueryParam.parse(one)),
      given
    )
  const accepts = (type: string, value: unknown, more: object = {}) =>
    Either.isRight(read([{ name: "p", type, ...more }], { p: value }))

  it("are strict about their types", () => {
    const good: ReadonlyArray<readonly [string, unknown]> = [
      ["string", "a"],
      ["integer", 9_007_199_254_740_991],
      ["number", -1.5],
      ["boolean", false],
      ["date", "2024-02-29"],
      ["timestamp", "2026-01-31T09:30:00+02:00"],
      ["uuid", "0b6f2f4e-5d0c-4a53-9d4e-0a7a5d0d6a11"],
      ["string[]", ["a", "b"]],
      ["integer[]", []]
    ]
    for (const [type, value] of good) expect([type, value, accepts(type, value)]).toEqual([type, value, true])
    const bad: ReadonlyArray<readonly [string, unknown]> = [
      ["string", 1],
      ["string", "a\u0000"],
      ["string", "\ud800"],
      ["integer", "1"],
      ["integer", 1.5],
      ["integer", 2 ** 53],
      ["number", "1"],
      ["boolean", "true"],
      ["date", "2023-02-29"],
      ["date", "2023-1-1"],
      ["timestamp", "2026-01-31T09:30:00"],
      ["uuid", "nonsense"],
      ["string[]", "a"],
      ["string[]", ["a", null]],
      ["integer[]", [1, "2"]]
    ]
    for (const [type, value] of bad) expect([type, value, accepts(type, value)]).toEqual([type, value, false])
  })

  it("keep to bounds, choices and patterns, which match whole", () => {
    expect(accepts("integer", 3, { min: 1, max: 3 })).toBe(true)
    expect(accepts("integer", 4, { min: 1, max: 3 })).toBe(false)
    expect(accepts("string", "abcd", { max: 3 })).toBe(false)
    expect(accepts("string[]", ["abcd", "a"], { max: 1 })).toBe(false)
    expect(accepts("enum", "a", { enum: ["a", "b"] })).toBe(true)
    expect(accepts("enum", "c", { enum: ["a", "b"] })).toBe(false)
    expect(accepts("string", "AB-12", { pattern: "[A-Z]+-\\d+" })).toBe(true)
    expect(accepts("string", "xAB-12", { pattern: "[A-Z]+-\\d+" })).toBe(false)
  })

  it("an absent one has its default, else is null where it is optional, else is missing", () => {
    const value = (more: object) => read([{ name: "p", type: "integer", ...more }], {})
    expect(Either.getOrThrow(value({ default: 3 })).get("p")?.value).toBe(3)
    expect(Either.getOrThrow(value({ required: false })).get("p")?.value).toBe(null)
    expect(Either.isLeft(value({}))).toBe(true)
    expect(Either.getOrThrow(read([], { unknown: 1 })).size).toBe(0)
  })
})
