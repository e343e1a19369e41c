import * as Effect from "effect/Effect"
import type { YieldWrap } from "effect/Utils"
import { unfinishedImport } from "../../adapters/engine/import-mark.js"
import type { Engine, EngineCalls, IngestReport } from "../../core/engine/engine/index.js"
import { defined, KanonError } from "../../core/platform/kernel/index.js"
import { storeOf } from "../store.js"
import { type Failure, failed, failureOf, messageOf, openData } from "./failure.js"
import type { ActingInput, CommonInput } from "./flags.js"
import { locate, type Place } from "./place.js"
import { isUnrecorded, recordPlace, requireOwnDatabase } from "./place-record.js"
import { warningLogger, withProgress } from "./progress.js"
import { answer, paintNote, say, toJson } from "./terminal.js"
import { cleanLine } from "./text.js"

/** An open workspace. */
export interface Session {
  readonly engine: Engine
  readonly place: Place
}

/** A result as `--json` prints it, and as people read it. */
export interface Result {
  readonly output: unknown
  readonly text: () => string
}

/** Work with effects, as the generator of an `Effect.gen`. */
export type Work<Given, A, E = Failure, R = never> = (
  given: Given
) => Generator<YieldWrap<Effect.Effect<unknown, E, R>>, A, never>

/** Requirements of a command on the workspace before it starts. */
interface Needs {
  /** Whether this process works on background jobs; a fresh vault is worked on in any case. */
  readonly worker?: boolean
  /** A fresh vault is ingested first, unless the command does that itself. */
  readonly ingests?: boolean
  /** False leaves what a crash left to the command itself. */
  readonly mend?: boolean
}

/** Finds and opens the workspace, runs `use`, prints its result if it has one, and closes the workspace whatever happens. */
export const withWorkspace = (
  input: CommonInput & Needs,
  // biome-ignore lint/suspicious/noConfusingVoidType: a generator without a result returns void.
  use: Work<Session, Result | void>
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const place = yield* locate(input, here())
    const { ingests = false, json, mend, worker = false, workspace } = input
    yield* withEngine(place, { json, worker: worker || place.fresh, mend, workspace }, (engine) =>
      Effect.gen(function* () {
        if (place.fresh && !ingests) yield* ingestFiles(engine, { json, lines: true })
        const made = yield* Effect.gen(() => use({ engine, place }))
        if (typeof made === "object") yield* answer(json, made.output, made.text)
      })
    )
  })

/** Returns the working folder and the environment variables of the call. */
export const here = () => ({
  cwd: process.cwd(),
  dataVariable: process.env["KANON_DATA"],
  databaseVariable: process.env["KANON_DATABASE_URL"],
  readVariable: process.env["KANON_DATABASE_READ_URL"]
})

interface EngineNeeds {
  readonly json: boolean
  readonly worker: boolean
  readonly name?: string | undefined
  readonly mend?: boolean | undefined
  readonly workspace?: string | undefined
}

/** Opens the engine of a place, tells of repairs, and keeps the data folder's memory of its vault. */
export const withEngine = <A>(
  place: Place,
  options: EngineNeeds,
  use: (engine: Engine) => Effect.Effect<A, Failure>
): Effect.Effect<A, Failure> =>
  Effect.acquireUseRelease(
    Effect.zipRight(requireOwnDatabase(place), openEngine(place, options)),
    (engine) =>
      Effect.gen(function* () {
        if (isUnrecorded(place)) yield* recordPlace(place, engine.workspace)
        for (const { code, message } of engine.repairs) {
          const line = `${paintNote.yellow("repaired")} ${cleanLine(message)} ${paintNote.dim(`(${code})`)}`
          yield* say(options.json ? toJson({ repair: code, message }) : line)
        }
        return yield* use(engine)
      }),
    (engine) => Effect.promise(() => engine.close())
  )

const openEngine = (place: Place, options: EngineNeeds): Effect.Effect<Engine, Failure> => {
  const { name, vault } = place
  const called = options.name ?? name
  return openData(place, async () => {
    const { createEngine } = await storeOf(place)
    return await createEngine({
      vault,
      worker: options.worker,
      mend: options.mend ?? true, // Nobody else is served here, and a thread takes half a second to start.
      thread: false,
      logger: warningLogger(options.json),
      ...defined({ name: called, workspace: options.workspace })
    })
  })
}

/**
 * Calls the engine; what it refuses becomes a failure of the command, with the engine's own code. The signal stops the
 * call when the command is interrupted.
 */
export const call = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, Failure> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      error instanceof KanonError
        ? failureOf(error)
        : failed(isFileError(error) ? "file_unavailable" : "internal", messageOf(error))
  })

/** Whether a call of the file system failed, on a file that it names. */
const isFileError = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && "path" in error

/** The calls of the engine in the name of the member that `--as` names, else of the local user. */
export const actingAs = (engine: Engine, { as }: Pick<ActingInput, "as">): EngineCalls =>
  as === undefined ? engine : engine.as(as)

/** Brings the index in line with the files, showing how far it is. */
export const ingestFiles = (
  engine: Engine,
  options: {
    readonly json: boolean
    /** Whether to say something where there is no terminal to show a bar on. */
    readonly lines: boolean
    readonly path?: string | undefined
    readonly wait?: boolean
  }
): Effect.Effect<IngestReport, Failure> =>
  withProgress({ silent: options.json, lines: options.lines }, (onProgress) =>
    call((signal) =>
      engine.ingest({ onProgress, signal, wait: options.wait ?? true, ...defined({ path: options.path }) })
    )
  )

/**
 * Finds the place for a process that runs until it is stopped. A vault that is named for the first time is made a
 * workspace; its files are left to the process, which watches them.
 */
export const preparePlace = (input: CommonInput): Effect.Effect<Place, Failure> =>
  Effect.gen(function* () {
    const place = yield* locate(input, here())
    // An import that was killed leaves what looks like a workspace.
    if (!isUnrecorded(place) && unfinishedImport(place.data) === null) yield* requireOwnDatabase(place)
    else yield* withEngine(place, { json: input.json, worker: false }, () => Effect.void)
    return place
  })

/** Whether a signal is the regular end of the running command, as for a server. The command sets it. */
export const shutdown = { isGraceful: false }
