import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as first from "../../console/src/strings/de/first.js"
import * as pages from "../../console/src/strings/de/pages.js"

/** The folder of the console's texts. */
const wordsFolder = join(import.meta.dirname, "../../console/src/strings")

/** Files with English texts. */
export const englishFiles: ReadonlyArray<string> = [
  "../strings.ts",
  ...readdirSync(wordsFolder).filter((name) => name.endsWith(".ts")),
  "../../../react/words.ts"
].map((name) => join(wordsFolder, name))

const named = (name: string): string => `${name.charAt(7).toLowerCase()}${name.slice(8)}`

/** English sections by name: `englishEntities` is the section `entities`. */
export const english: Record<string, unknown> = {}
for (const file of englishFiles)
  for (const [key, value] of Object.entries((await import(file)) as object))
    if (key.startsWith("english")) english[named(key)] = value

/** German sections by name. */
export const german: Record<string, unknown> = { ...first, ...pages }

interface Leaf {
  readonly path: string
  readonly text: string
}

/** Every text of a section; functions are asked with one and with two. */
const leavesOf = (value: unknown, path: string): ReadonlyArray<Leaf> => {
  if (typeof value === "string") return [{ path, text: value }]
  if (typeof value === "function") {
    const ask = value as (...given: ReadonlyArray<unknown>) => string
    return [1, 2].map((count) => ({ path: `${path}(${count})`, text: called(ask, count) }))
  }
  return Object.entries(value as object).flatMap(([key, one]) => leavesOf(one, `${path}.${key}`))
}

/** Some take names in place of counts. */
const called = (ask: (...given: ReadonlyArray<unknown>) => string, count: number): string => {
  const given = Array.from({ length: ask.length }, () => count)
  try {
    return ask(...given)
  } catch {
    return ask(...given.map(String))
  }
}

/** All texts of the sections of a language. */
export const textsOf = (sections: Record<string, unknown>): ReadonlyArray<Leaf> =>
  Object.entries(sections).flatMap(([name, section]) => leavesOf(section, name))
