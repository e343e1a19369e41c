import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { pages } from "../support/docs.js"
import { root, textOf } from "../support/tree.js"

/** The line that says when figures were measured, and whether the working tree held changes. */
const noted =
  /\b(?:measured at|published with) commit `([0-9a-f]{7,40})`(?: with changes)? on (\d{4}-\d\d-\d\d)\b/gi

/** Pages with figures that benches print; decisions tell of what was. */
const measured = pages.filter(
  (page) =>
    page === "docs/scale.md" ||
    (page.startsWith("docs/") &&
      !page.startsWith("docs/decisions/") &&
      (page.startsWith("docs/benchmarks/") || textOf(page).includes("npm run bench -- ")))
)

const notes = measured.flatMap((page) =>
  [...textOf(page).matchAll(noted)].map(([, commit = "", date = ""]) => ({ page, commit, date }))
)

const git = (...args: ReadonlyArray<string>): string => {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })
  return status === 0 ? stdout.trim() : ""
}

/** Dates of the commits of the history, by their ids; null where the checkout has no complete history. */
const history =
  git("rev-parse", "--is-shallow-repository") === "false"
    ? git("log", "--format=%H %cs")
        .split("\n")
        .map((line) => ({ id: line.slice(0, 40), date: line.slice(41) }))
    : null

describe("measured figures in the documentation", () => {
  it("name the commit and date that they were measured at, on every page", () => {
    expect(measured.length).toBeGreaterThan(15)
    expect(measured.filter((page) => !notes.some((note) => note.page === page))).toEqual([])
  })

  it("name them in each table of a bench", () => {
    const tables = measured
      .filter((page) => page.startsWith("docs/benchmarks/"))
      .flatMap((page) =>
        textOf(page)
          .split(/^## /m)
          .slice(1)
          .map((section) => ({ page, line: section.split("\n")[2] ?? "" }))
      )
    expect(tables.filter(({ line }) => !line.match(noted))).toEqual([])
  })

  it.skipIf(history === null)("name a commit of the history, and a date at or after it", () => {
    const wrong = notes.filter(({ commit, date }) => {
      const found = history?.find(({ id }) => id.startsWith(commit))
      return found === undefined || date < found.date
    })
    expect(wrong).toEqual([])
  })
})
