import { expect, test } from "vitest"
import { z } from "zod"
import { nearestName, undeclaredFields } from "../../../../core/platform/kernel/index.js"

const pathsOf = (schema: z.ZodType, value: unknown) =>
  undeclaredFields(schema, value).map(({ path }) => path.join("."))

test.each([
  ["maxSource", ["question", "maxSources", "policyMode"], "maxSources"],
  ["includData", ["question", "includeData"], "includeData"],
  ["limits", ["q", "limit", "offset"], "limit"],
  ["max_sources", ["question", "maxSources"], "maxSources"],
  ["QUESTION", ["question", "maxSources"], "question"],
  ["aks", ["ask", "audit", "jobs"], "ask"],
  ["query", ["q", "limit"], "q"],
  ["colour", ["q", "limit"], undefined],
  ["", ["q", "limit"], undefined],
  ["x".repeat(100_000), ["question"], undefined]
])("the nearest of the known names to %s is found", (given, known, nearest) => {
  expect(nearestName(given, known)).toBe(nearest)
})

test("undeclared fields are found at any depth, below optional, defaulted, converted and listed values", () => {
  const inner = z.object({ a: z.string() })
  const schema = z.object({
    one: inner.optional(),
    many: z.array(inner.nullable()).default([]),
    byName: z.record(z.string(), inner),
    late: inner.transform(({ a }) => a).readonly()
  })
  const value = { a: "x", b: 1 }
  expect(
    pathsOf(schema, { one: value, many: [{ a: "x" }, value], byName: { k: value }, late: value })
  ).toEqual(["one.b", "many.1.b", "byName.k.b", "late.b"])
  expect(pathsOf(schema, { one: { a: "x" }, byName: {}, late: { a: "x" }, extra: undefined })).toEqual([])
})

test("objects that are declared open may hold anything", () => {
  const schema = z.object({
    loose: z.looseObject({ a: z.string() }),
    rest: z.object({}).catchall(z.number()),
    any: z.unknown(),
    map: z.record(z.string(), z.unknown())
  })
  const open = { loose: { a: "x", b: 1 }, rest: { c: 2 }, any: { d: { e: 3 } }, map: { f: { g: 4 } } }
  expect(pathsOf(schema, open)).toEqual([])
})

test("of a union only the alternative that the value matches counts", () => {
  const union = z.union([z.object({ a: z.string() }), z.object({ b: z.string(), c: z.string().optional() })])
  expect(pathsOf(union, { b: "x", c: "y" })).toEqual([])
  expect(pathsOf(union, { b: "x", d: "y" })).toEqual(["d"])
  expect(pathsOf(union, { z: 1 })).toEqual([])
  const kinds = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("cat"), name: z.string() }),
    z.strictObject({ kind: z.literal("dog"), bark: z.string() })
  ])
  expect(pathsOf(kinds, { kind: "dog", bark: "x", name: "y" })).toEqual(["name"])
  expect(pathsOf(kinds, { kind: "cat", nam: "y" })).toEqual(["nam"])
})

test("a message names the nearest declared field, or those there are, and stays short", () => {
  const schema = z.object({ question: z.string(), maxSources: z.int() })
  const [near, far, long] = undeclaredFields(schema, { maxSource: 1, colour: 2, ["y".repeat(5000)]: 3 })
  expect(near).toEqual({
    path: ["maxSource"],
    code: "unrecognized_keys",
    message: "There is no field maxSource. Did you mean maxSources?"
  })
  expect(far?.message).toBe("There is no field colour. There are question, maxSources.")
  expect(long?.message.length).toBeLessThan(300)
})

test.each([
  [
    "side by side",
    () => Object.fromEntries(Array.from({ length: 240_000 }, (_, at) => [`maxSource${at}`, 1]))
  ],
  ["in a list", () => ({ many: Array.from({ length: 240_000 }, () => ({ maxSource: 1 })) })],
  [
    "in a record",
    () => ({ byName: Object.fromEntries(Array.from({ length: 240_000 }, (_, at) => [`k${at}`, { b: 1 }])) })
  ]
])("of 240,000 undeclared fields %s the first twenty are looked up", (_, made) => {
  const inner = z.object({ maxSources: z.int().optional() })
  const schema = z.object({
    maxSources: z.int().optional(),
    many: z.array(inner).optional(),
    byName: z.record(z.string(), inner).optional()
  })
  const value = made()
  const before = process.cpuUsage()
  expect(undeclaredFields(schema, value)).toHaveLength(20)
  const { system, user } = process.cpuUsage(before)
  expect((system + user) / 1000).toBeLessThan(3_000)
})
