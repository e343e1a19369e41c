/** The coordinator of a cluster of Citus that tests may use, a superuser's URL; null where none is named. */
export const citusUrl = (): string | null => {
  const named = process.env["KANON_TEST_CITUS"]
  return named === undefined || named === "" ? null : named
}
