import { MultiBar, type SingleBar } from "cli-progress"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { isWatched, paintNote, toJson } from "./terminal.js"
import { cleanLine } from "./text.js"

const titles = {
  files: "Reading files",
  graph: "Linking entities",
  vectors: "Embedding passages",
  ranks: "Ranking entities",
  index: "Writing indexes",
  vocabulary: "Importing concepts",
  sync: "Syncing items",
  topics: "Asking topics",
  "doctor-database": "Checking database",
  "doctor-audit": "Checking audit trail",
  "doctor-jobs": "Checking queue",
  "doctor-text": "Checking index",
  "doctor-files": "Comparing files",
  "doctor-documents": "Comparing rows",
  "doctor-entities": "Checking entities",
  "doctor-graph": "Checking graph",
  "doctor-vectors": "Checking vectors",
  "doctor-records": "Checking records",
  "doctor-work": "Running maintenance"
} as const

type Phase = keyof typeof titles

/** How far long work is. */
interface Progress {
  readonly phase: Phase
  readonly done: number
  readonly total: number
}

/** Work that is done within this time shows no bar: one that only flickers tells nothing. */
const patienceMs = 300
/** Without a terminal a long phase speaks up this often. */
const lineEveryMs = 10_000

/**
 * Runs long work with its progress on the standard error: a bar for each phase on a terminal, else a line at the
 * start of a phase and now and then. Whatever happens, the terminal is left as it was.
 */
export const withProgress = <A, E>(
  options: { readonly silent: boolean; readonly lines: boolean },
  work: (onProgress: (progress: Progress) => void) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => (options.silent ? nothing : isWatched ? bars() : options.lines ? lines() : nothing)),
    (shown) => work(shown.update),
    (shown) => Effect.sync(shown.stop)
  )

/** The bars that are on the terminal. */
let onScreen: MultiBar | undefined

/** Says a line on the standard error, above the bars where there are some. */
export const sayAboveBars = (line: string): void => {
  if (onScreen === undefined) {
    process.stderr.write(`${line}\n`)
  } else {
    onScreen.log(`${line}\n`)
    onScreen.update()
  }
}

interface Shown {
  readonly update: (progress: Progress) => void
  readonly stop: () => void
}

const nothing: Shown = { update: () => {}, stop: () => {} }

const bars = (): Shown => {
  const latest = new Map<Phase, Progress>()
  const shown = new Map<Phase, SingleBar>()
  let multi: MultiBar | undefined
  const show = (): void => {
    multi ??= new MultiBar({
      stream: process.stderr,
      format: `${paintNote.dim("{phase}")} ${paintNote.cyan("{bar}")} {value}/{total}`,
      barCompleteChar: "█",
      barIncompleteChar: "░",
      barsize: 28,
      hideCursor: true,
      clearOnComplete: true,
      fps: 12,
      // Ctrl-C is the command's own business: it closes the data first.
      gracefulExit: false
    })
    onScreen = multi
    for (const [phase, { done, total }] of latest) {
      if (total === 0) continue
      const bar = shown.get(phase) ?? multi.create(total, done, { phase: titles[phase].padEnd(18) })
      shown.set(phase, bar)
      bar.setTotal(total)
      bar.update(done)
    }
  }
  const timer = setTimeout(show, patienceMs)
  return {
    update: (progress) => {
      latest.set(progress.phase, progress)
      if (multi !== undefined) show()
    },
    stop: () => {
      clearTimeout(timer)
      onScreen = undefined
      multi?.stop()
    }
  }
}

const lines = (): Shown => {
  const spokenAt = new Map<Phase, number>()
  return {
    update: ({ done, phase, total }) => {
      const at = Date.now()
      const last = spokenAt.get(phase)
      if (total === 0 || (last !== undefined && at - last < lineEveryMs)) return
      spokenAt.set(phase, at)
      process.stderr.write(`${titles[phase]}: ${last === undefined ? `${total}` : `${done} of ${total}`}\n`)
    },
    stop: () => {}
  }
}

/** Prints the engine's warnings and errors to the standard error, one line each. */
export const warningLogger = (json: boolean): Logger.Logger<unknown, void> =>
  Logger.make(({ cause, logLevel, message }) => {
    if (LogLevel.lessThan(logLevel, LogLevel.Warning)) return
    sayAboveBars(warningLine(json, message, cause))
  })

/** A warning with its cause, without stack traces; `{"warning": TEXT}` for programs. */
export const warningLine = (json: boolean, message: unknown, cause: Cause.Cause<unknown>): string => {
  const said = Array.isArray(message) ? message.map(wordsOf) : [wordsOf(message)]
  const reasons = Cause.isEmpty(cause) ? [] : [wordsOf(Cause.squash(cause))]
  const text = cleanLine([...said, ...reasons].join(" "))
  return json ? toJson({ warning: text }) : paintNote.yellow(`Note: ${text}`)
}

const wordsOf = (value: unknown): string => {
  if (value instanceof Error) return value.message
  if (Cause.isCause(value)) return wordsOf(Cause.squash(value))
  return Inspectable.toStringUnknown(value, 0)
}
