import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { ServerConfig } from "./config.js"
import type { RequestEntry } from "./http/app.js"

/** One answered request: who, what, how long; nothing of what was said. */
export const requestLine = ({ durationMs, ...entry }: RequestEntry): string =>
  JSON.stringify({
    time: new Date().toISOString(),
    level: entry.status >= 500 ? "error" : "info",
    message: "request",
    ...entry,
    durationMs: Math.round(durationMs * 10) / 10
  })

const order = ["debug", "info", "warning", "error"] as const

/** Whether lines of a level are wanted. */
export const shows = (least: ServerConfig["logLevel"], level: ServerConfig["logLevel"]): boolean =>
  order.indexOf(level) >= order.indexOf(least)

/** What looks like a key of ours, a bearer header or a password in an address is no matter for a log. */
const secrets = /\bsvc_[su]k_\w+|\bBearer +\S+|(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi

const withoutSecrets = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(secrets, "[secret]") : value

/** Log lines as JSON, one object a line, from the level on that is wanted. */
export const jsonLogger = (
  least: ServerConfig["logLevel"],
  log: (line: string) => void
): Logger.Logger<unknown, void> =>
  Logger.make(({ annotations, cause, date, logLevel, message }) => {
    const level = levelOf(logLevel)
    if (!shows(least, level)) return
    const words = (Array.isArray(message) ? message : [message]).map((one) =>
      typeof one === "string" ? one : Inspectable.toStringUnknown(one, 0)
    )
    const line = {
      time: date.toISOString(),
      level,
      message: words.join(" "),
      ...Object.fromEntries(HashMap.toEntries(annotations)),
      ...(Cause.isEmpty(cause) ? {} : { cause: Cause.pretty(cause) })
    }
    // Within each text: what is cut out of the line itself may take its quotes along.
    log(JSON.stringify(line, (_, value: unknown) => withoutSecrets(value)))
  })

const levelOf = (level: LogLevel.LogLevel): ServerConfig["logLevel"] => {
  if (LogLevel.lessThan(level, LogLevel.Info)) return "debug"
  if (LogLevel.lessThan(level, LogLevel.Warning)) return "info"
  return LogLevel.lessThan(level, LogLevel.Error) ? "warning" : "error"
}
