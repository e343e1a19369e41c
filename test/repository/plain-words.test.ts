import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { operations } from "../../core/operations.js"
import { pages } from "../support/docs.js"
import { root, textOf } from "../support/tree.js"

/** Words that hide the actor or that no manual uses. Each has a plain replacement: a person, again, alone, reports, no document. */
const worst =
  /(?<![\w`-])(?:told|tells of|by itself|whoever|somebody|anew|nowhere|takes in|what came of|what hangs|no news)(?![\w`-])/giu

const found = (name: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(worst)].map(
    ({ 0: word, index }) => `${name}: …${text.slice(Math.max(0, index - 40), index)}${word}…`
  )

it("pages, strings of the console and summaries use plain words", () => {
  const strings = readdirSync(join(root, "console/src/strings"))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `console/src/strings/${name}`)
  const texts = [
    // Decisions and measurements say what was; the change log is rewritten with the release.
    ...pages.filter((page) => !/^(?:docs\/(?:decisions|benchmarks)\/|CHANGELOG|findings\/)/u.test(page)),
    "console/src/strings.ts",
    ...strings
  ]
  expect(texts.length).toBeGreaterThan(40)
  expect([
    ...texts.flatMap((name) => found(name, textOf(name))),
    ...Object.values(operations).flatMap((one) => ("summary" in one ? found(one.name, one.summary) : []))
  ]).toEqual([])
})
