import { text as readAll } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import pc from "picocolors"
import { visibleJson } from "../../core/platform/kernel/index.js"

/** Whether a stream gets colours: what the reader asked for, else whether it is a terminal that has some. */
const isColourful = (stream: { readonly isTTY?: boolean }): boolean => {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = process.env
  if (no !== undefined && no !== "") return false
  if (force !== undefined && force !== "") return force !== "0" && force !== "false"
  return stream.isTTY === true && term !== "dumb"
}

/** Colours for the standard output; they do nothing where there are to be none. */
export const paint = pc.createColors(isColourful(process.stdout))
/** Colours for the standard error. */
export const paintNote = pc.createColors(isColourful(process.stderr))

/** Whether somebody looks at the standard error, so that a bar may move there. */
export const isWatched = process.stderr.isTTY === true && process.env["TERM"] !== "dumb"

/** Columns for prose: what the terminal has, within what can be read with ease; 80 where there is none. */
export const proseColumns = (): number => Math.min(Math.max(process.stdout.columns ?? 80, 40), 100)

/** Columns for a table: all that the terminal has; no bound in a pipe, so that nothing is cut there. */
export const tableColumns = (): number =>
  process.stdout.isTTY === true ? Math.max(process.stdout.columns ?? 80, 40) : Number.POSITIVE_INFINITY

/** Prints a text with a line end, and waits until all of it has left the process. */
export const print = (text: string): Effect.Effect<void> => write(process.stdout, `${text}\n`)

/** The same on the standard error: what is said beside the result. */
export const say = (text: string): Effect.Effect<void> => write(process.stderr, `${text}\n`)

/** One JSON document in one line. */
export const toJson = visibleJson

/** The result of a command: for a program the wire shape, for a person what `human` makes of it. */
export const answer = (json: boolean, value: unknown, human: () => string): Effect.Effect<void> =>
  Effect.suspend(() => print(json ? toJson(value) : human()))

/** Resolves when the stream has taken everything; a reader that went away has all it wanted. */
const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    put(stream, text, () => resume(Effect.void))
  })

/** Bytes of a result, as they are. */
export const printBytes = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => put(process.stdout, bytes, resolve))

const put = (stream: NodeJS.WriteStream, what: string | Uint8Array, done: () => void): void => {
  stream.write(what, (error) => {
    // Before anything goes on, so that a last line that nobody got is no success.
    if (error && stream === process.stdout) noticeLoss(error)
    done()
  })
}

/** A closed pipe (`kanon … | head`) is no loss: its reader has all it wanted. */
const noticeLoss = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") whenLost(error)
}
let whenLost: (error: Error) => void = () => {}

/**
 * Keeps streams that take no more from ending the process by themselves. `onLost` is told of a result that cannot be
 * printed, such as on a full disk. What is said beside it is lost without a word: there is no place left for one.
 */
export const tolerateLostStreams = (onLost: (error: Error) => void): void => {
  whenLost = onLost
  process.stdout.on("error", noticeLoss)
  process.stderr.on("error", () => {})
}

/** Ends the process once both streams have given away what they hold. */
export const leave = (code: number): void => {
  const drained = (stream: NodeJS.WriteStream) =>
    new Promise<void>((resolve) => {
      if (stream.destroyed || stream.writableEnded) resolve()
      else stream.write("", () => resolve())
    })
  void Promise.all([drained(process.stdout), drained(process.stderr)]).finally(() => process.exit(code))
}

/** Reads a secret from the standard input, without the line break at its end. */
export const readSecret = Effect.map(
  Effect.promise(() => readAll(process.stdin)),
  (text) => text.replace(/\r?\n$/u, "")
)
