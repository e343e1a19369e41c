import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { escapeControls, visibleJson } from "../core/platform/kernel/index.js"
import type { ServerConfig } from "./config.js"
import type { RequestEntry } from "./http/app.js"

/** Returns the log line of an answered request: caller, route and duration, without content. */
export const requestLine = ({ durationMs, ...entry }: RequestEntry): string =>
  visibleJson({
    time: new Date().toISOString(),
    level: entry.status >= 500 ? "error" : "info",
    message: "request",
    ...entry,
    durationMs: Math.round(durationMs * 10) / 10
  })

const order = ["debug", "info", "warning", "error"] as const

/** Returns whether the configured level includes a message level. */
export const shows = (least: ServerConfig["logLevel"], level: ServerConfig["logLevel"]): boolean =>
  order.indexOf(level) >= order.indexOf(least)

/** Matches API keys, bearer headers and passwords in URLs, which must not be logged. */
const secrets = /\bsvc_[su]k_\w+|\bBearer +\S+|(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi

const withoutSecrets = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(secrets, "[secret]") : value

/** Logs JSON objects, one per line, from the configured level on. */
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
    // Redact each string before encoding: redacting the line could remove its quotes.
    log(escapeControls(JSON.stringify(line, (_, value: unknown) => withoutSecrets(value))))
  })

const levelOf = (level: LogLevel.LogLevel): ServerConfig["logLevel"] => {
  if (LogLevel.lessThan(level, LogLevel.Info)) return "debug"
  if (LogLevel.lessThan(level, LogLevel.Warning)) return "info"
  return LogLevel.lessThan(level, LogLevel.Error) ? "warning" : "error"
}
