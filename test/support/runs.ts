const asked = Number(process.env["KANON_TEST_RUNS"])

/** How many examples each property tries, when `KANON_TEST_RUNS` says so (`npm run test:long` does). */
export const propertyRuns: number | undefined = Number.isSafeInteger(asked) && asked > 0 ? asked : undefined

/**
 * `numRuns` for a property that is too slow for fast-check's usual 100 examples: `few` in `npm test`,
 * and as many times more in a longer run as the other properties do.
 *
 * @public
 */
export const runs = (few: number): number =>
  propertyRuns === undefined ? few : Math.max(few, Math.ceil((few * propertyRuns) / 100))
