import * as Cause from "effect/Cause"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { sayAbove } from "./progress.js"
import { paintNote, toJson } from "./terminal.js"
import { cleanLine } from "./text.js"

/** Shows what the engine warns of on the standard error, one line each; what is less than a warning is left out. */
export const noteLogger = (json: boolean): Logger.Logger<unknown, void> =>
  Logger.make(({ cause, logLevel, message }) => {
    if (LogLevel.lessThan(logLevel, LogLevel.Warning)) return
    sayAbove(noteLine(json, message, cause))
  })

/** A warning in words, with what caused it but without stacks: `{"warning": TEXT}` for a program. */
export const noteLine = (json: boolean, message: unknown, cause: Cause.Cause<unknown>): string => {
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
