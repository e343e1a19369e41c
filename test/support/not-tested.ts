/** Says in one line of the test run what was not tested, and why. */
export const notTested = (what: string, why: string): void => {
  process.stdout.write(`Not tested: ${what}. ${why}\n`)
}
