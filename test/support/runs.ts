/** The database that this run of the tests is about, where a test can be about either. */
export const testDatabase: "sqlite" | "postgres" =
  process.env["KANON_TEST_DATABASE"] === "postgres" ? "postgres" : "sqlite"

/** Share of the runs on Postgres: the rules are in the core and were already tried on SQLite. */
const share = testDatabase === "postgres" ? 0.2 : 1

const asked = Math.ceil(Number(process.env["KANON_TEST_RUNS"]) * share)

/** Whether somebody asked for a longer run by `KANON_TEST_RUNS`, as `npm run test:long` does. */
export const isLong = Number.isSafeInteger(asked) && asked > 0

/**
 * How many examples each property tries: a quarter of fast-check's usual 100, so that all tests are done while one
 * waits. Each run tries other ones.
 */
export const propertyRuns: number = isLong ? asked : 25 * share

/** All items in a long run; else every `parts`-th of them, beginning with another one in each run. */
export const sampled = <Item>(items: ReadonlyArray<Item>, parts: number): ReadonlyArray<Item> => {
  if (isLong) return items
  const first = Math.floor(Math.random() * Math.min(parts, items.length))
  return items.filter((_, place) => place % parts === first)
}

/**
 * `numRuns` for a property that is too slow for fast-check's usual 100 examples: `few` of each hundred that the
 * other properties would try.
 *
 * @public
 */
export const runs = (few: number): number => Math.max(1, Math.ceil((few * propertyRuns) / 100))
