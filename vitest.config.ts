import { defineConfig } from "vitest/config"

/** Tests of the unit project that are about either database, and are run on Postgres too. */
const onBoth = [
  "cache-life",
  "curation-model",
  "curation-races",
  "engine-removal",
  "engine-writes",
  "server-catalog",
  "server-fuzz",
  "server-reach",
  "transfer-roundtrip",
  "trash-model"
].map((name) => `test/property/${name}.test.ts`)
/** Those that the long run adds. */
const onBothLong = [
  "curation-rules",
  "curation-transfer",
  "documents-move",
  "documents-verify",
  "engine-events",
  "engine-ingest",
  "engine-models",
  "jobs-feeds",
  "retrieval-governance",
  "server-answers",
  "server-audit",
  "server-mcp",
  "server-same",
  "server-sockets",
  "server-tenancy",
  "server-trash",
  "skos-import",
  "start-job-broken",
  "transfer-concepts"
].map((name) => `test/property/${name}.test.ts`)

/** Tests that need `dist/` and the packed package; everything else runs straight from the sources. */
const built = ["test/e2e/**/*.test.ts", "test/tidy/package.test.ts", "test/tidy/docs-run.test.ts"]

export default defineConfig(({ mode }) => {
  const long = mode === "long"
  // Said for each project too: what a project extends is read in the usual mode.
  const ofMode = {
    env: long ? { KANON_TEST_RUNS: process.env["KANON_TEST_RUNS"] ?? "2000" } : {},
    testTimeout: long ? 1_200_000 : 60_000,
    hookTimeout: 120_000
  }
  const report = process.env["KANON_TEST_REPORT"]
  return {
    test: {
      ...ofMode,
      // One more than the cores that a contributor has at least: many tests wait for processes and timers.
      maxWorkers: 3,
      setupFiles: ["test/support/property-runs.ts"],
      // A machine that wants the results names a file for them; people read the terminal.
      reporters: report === undefined ? ["default"] : ["default", "json"],
      ...(report === undefined ? {} : { outputFile: { json: report } }),
      projects: [
        {
          extends: true,
          test: {
            ...ofMode,
            name: "unit",
            globalSetup: ["test/support/postgres-once.ts"],
            include: ["test/**/*.test.ts"],
            exclude: [...built, "test/fixtures/**"],
            // Loading every module anew for each file took a third of the time; the files leave nothing behind.
            isolate: false
          }
        },
        {
          extends: true,
          test: {
            ...ofMode,
            name: "postgres",
            env: { ...ofMode.env, KANON_TEST_DATABASE: "postgres" },
            globalSetup: ["test/support/postgres-once.ts"],
            include: long ? [...onBoth, ...onBothLong] : onBoth,
            isolate: false
          }
        },
        {
          extends: true,
          test: {
            ...ofMode,
            name: "built",
            include: built,
            globalSetup: ["test/support/build-once.ts", "test/support/postgres-once.ts"]
          }
        }
      ]
    }
  }
})
