import { register } from "tsx/esm/api"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { citusUrl } from "./test/support/citus-url.js"
import { throwAwayInMemory } from "./test/support/memory-folder.js"
import { onBoth, onBothLong } from "./test/support/postgres-suites.js"

/** A suite of `test/` by its name, in whatever folder it lies. */
const suite = (name: string): string => `test/{unit,property,integration}/**/${name}.test.ts`
/** Processes on Postgres that are killed; the usual run kills servers and workers on Postgres in `chaos.test.ts`. */
const crashes = ["named-points", "random-kills"].map((name) => `test/e2e/crash/${name}.test.ts`)
/** The built command on Postgres. */
const commands = [
  "cli-doctor",
  "cli-json",
  "cli-json-curation",
  "cli-json-files",
  "cli-people",
  "cli-process",
  "cli-settings",
  "cli-transfer",
  "cli-workspace",
  "crash/import-kills",
  "server"
].map((name) => `test/e2e/${name}.test.ts`)

/** Tests that only a database distributed by Citus can run. */
const onCitusAlone = ["test/integration/postgres/citus-*.test.ts"]
/** Contracts of the ports, races and crashes that run on such a database too, as long as one is named. */
const onCitus = [
  "test/contract/*store*.test.ts",
  "test/contract/{atomic,audit-log,content-changes,damaged-lists,inspections,vocabulary,workspace-archive}.test.ts",
  ...onBoth.map(suite),
  ...crashes,
  ...onCitusAlone
]

/** What waits for the build, and what removes the folders and databases of commands. */
const builtSetup = ["test/support/built.ts", "test/support/cli-left.ts"]

/** Tests that need `dist/` and the packed package; all others run from the sources. */
const built = [
  "test/e2e/**/*.test.ts",
  "test/repository/package{,-in-browser}.test.ts",
  "test/repository/{docs-{commands,guides,programs},examples}.test.ts"
]

/** Tests of the whole system, which run in `test:system` with those in a browser: all of the built program, and long ones. */
const system = [
  ...built,
  "test/system/*.test.ts",
  "test/integration/server/server-{memory,reach}.test.ts",
  "test/repository/{bench,crash-points,deploy-proxies,generated-client}.test.ts"
]

/**
 * Exhaustive tests, which run in `test:long` only: sweeps over lengths, kills at moments of chance and at every journal
 * position, servers of Debian, the walk through every documented answer, generators of clients from the registry.
 */
const exhaustive = [
  "test/e2e/server-walk.test.ts",
  "test/e2e/crash/{import,random}-kills.test.ts",
  "test/integration/server/openapi-spectral.test.ts",
  "test/contract/crawlers-servers.test.ts",
  "test/{unit,property,integration}/**/linear-time-*.test.ts",
  "test/integration/work/agents/agents-kills.test.ts",
  "test/repository/generated-clients-others.test.ts"
]

const fast = ["test/{unit,property}/**/*.test.ts"]
/**
 * Each worker of a project loads all modules anew. In a run of all tests those of `fast` are of `integration` therefore;
 * by themselves they need no database server.
 */
const isWhole = !process.argv.slice(2).some((word) => /^--project|\btest\//.test(word))

/** Tests that run from the sources come first, while `dist/` is built for the others. */
const inOrder = ["fast", "postgres", "integration", "citus", "browser", "built"]
/** Files that take minutes although they are small. Vitest starts large files first, so these would run last, alone. */
const isLengthy = ({ moduleId }: TestSpecification): boolean =>
  /(?:docs-(?:commands|guides|programs)|demo)\.test/.test(moduleId)
class BuiltLast extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const bySize = await super.sort(files)
    const sorted = [...bySize.filter(isLengthy), ...bySize.filter((file) => !isLengthy(file))]
    return inOrder.flatMap((name) => sorted.filter(({ project }) => project.name === name))
  }
}

throwAwayInMemory()
// For what global set-ups import.
register()

export default defineConfig(({ mode }) => {
  const long = mode === "long"
  const isSystem = mode === "system"
  const isOnCitus = long && citusUrl() !== null
  if (long && !isOnCitus)
    process.stderr.write(
      "KANON_TEST_CITUS is not set, so no test runs on a database that is distributed by Citus.\n"
    )
  const excluded = long ? [] : isSystem || !isWhole ? exhaustive : [...exhaustive, ...system]
  /** The tests of a project that this mode runs. */
  const tests = (include: ReadonlyArray<string>) => (isSystem ? [] : [...include])
  // Only what hangs is to be ended, however busy the machine: no test has a limit of its own.
  const limitMs = long ? 7_200_000 : 300_000
  // Said for each project too: what a project extends is read in the usual mode.
  const ofMode = {
    env: long ? { KANON_TEST_RUNS: process.env["KANON_TEST_RUNS"] ?? "1000" } : {},
    testTimeout: limitMs,
    // What a test looks for again and again comes at last, also on a machine that does other work beside it.
    expect: { poll: { timeout: 50_000 } },
    hookTimeout: limitMs
  }
  const report = process.env["KANON_TEST_REPORT"]
  return {
    test: {
      ...ofMode,
      // One more than the cores that a contributor has at least: many tests wait for processes and timers; two more gain nothing.
      maxWorkers: 3,
      // Node loads the sources through tsx, which keeps what it compiled; Vite would compile them again in each project.
      execArgv: ["--import", "tsx"],
      server: {
        deps: { external: [/\/(?:core|adapters|server|bench|tools|demo)\/(?!.*\.test\.).*\.[mc]?[jt]s$/] }
      },
      // Tests of one file that run at once, where they wait for programs that they start.
      maxConcurrency: 2,
      sequence: { sequencer: BuiltLast },
      setupFiles: ["test/support/property-runs.ts"],
      // A machine that wants the results names a file for them; people read the terminal.
      reporters: ["default", "./test/support/slowest-files.ts", ...(report === undefined ? [] : ["json"])],
      ...(report === undefined ? {} : { outputFile: { json: report } }),
      projects: [
        {
          extends: true,
          test: {
            ...ofMode,
            // No build, no database server, no processes: `npm run test:fast`.
            name: "fast",
            include: tests(isWhole ? [] : fast),
            exclude: excluded,
            isolate: false
          }
        },
        {
          extends: true,
          test: {
            ...ofMode,
            name: "integration",
            globalSetup: ["test/support/postgres-once.ts"],
            setupFiles: ["test/support/sent-statements.ts"],
            include: tests(["test/{contract,integration,repository}/**/*.test.ts", ...(isWhole ? fast : [])]),
            exclude: [...built, ...excluded, ...onCitusAlone],
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
            globalSetup: [...(long ? ["test/support/build-once.ts"] : []), "test/support/postgres-once.ts"],
            include: tests([
              ...onBoth.map(suite),
              ...(long ? [...onBothLong.map(suite), ...crashes, ...commands] : [])
            ]),
            ...(long ? { setupFiles: builtSetup } : {}),
            isolate: false
          }
        },
        {
          extends: true,
          test: {
            ...ofMode,
            // Ports, races and crashes on a database that is distributed over the cluster that KANON_TEST_CITUS names.
            name: "citus",
            env: { ...ofMode.env, KANON_TEST_DATABASE: "postgres" },
            globalSetup: isOnCitus ? ["test/support/postgres-once.ts"] : [],
            include: isOnCitus ? onCitus : [],
            isolate: false
          }
        },
        {
          extends: true,
          test: {
            ...ofMode,
            // A server of the sources, the built pages, and a browser.
            name: "browser",
            include: isSystem || long ? ["test/browser/**/*.test.ts"] : [],
            globalSetup: ["test/support/console-once.ts"],
            isolate: false
          }
        },
        {
          extends: true,
          test: {
            ...ofMode,
            name: "built",
            include: isSystem ? system : isWhole && !long ? [] : built,
            exclude: excluded,
            globalSetup: ["test/support/build-once.ts", "test/support/postgres-once.ts"],
            setupFiles: builtSetup,
            isolate: false
          }
        }
      ]
    }
  }
})
