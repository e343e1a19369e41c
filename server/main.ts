import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { ServerConfig } from "./config.js"
import { type HostOptions, openHost } from "./host.js"
import { makeApp, type RequestEntry } from "./http/app.js"
import { serveHealth } from "./http/health.js"
import { serverMetrics } from "./http/observe.js"
import { listen } from "./listen.js"
import { mcpHttp } from "./mcp/http.js"

/** A server that runs. */
export interface Running {
  readonly url: string
  /** Lets requests end, hands jobs back, closes the data. */
  readonly close: () => Promise<void>
}

/** The standard server: REST, MCP and what looks after them, over one data folder. The one place of its layers. */
export const startServer = async (options: {
  readonly place: Pick<HostOptions, "data" | "vault">
  readonly config: ServerConfig
  readonly version: string
  /** Takes one line of JSON at a time. */
  readonly log: (line: string) => void
}): Promise<Running> => {
  const { config, log, place, version } = options
  const host = await openHost({
    ...place,
    worker: config.worker,
    logger: jsonLogger(config.logLevel, log)
  })
  const metrics = serverMetrics()
  const mcp = mcpHttp({
    runtime: host.runtime,
    version,
    allowedOrigins: config.mcpOrigins,
    sessionsMax: config.mcpSessionsMax,
    bodyBytes: config.bodyLimitBytes,
    ...(config.mcpHosts === undefined ? {} : { allowedHosts: config.mcpHosts })
  })
  const app = makeApp({
    runtime: host.runtime,
    mcp,
    checkResponses: config.checkResponses,
    limits: { bodyBytes: config.bodyLimitBytes, bodyMs: config.bodyTimeoutMs },
    onRequest: (entry) => {
      metrics.count(entry)
      if (shows(config.logLevel, "info")) log(requestLine(entry))
    },
    ...(config.origin === undefined ? {} : { origin: config.origin })
  })
  let isStopping = false
  const health = { metrics, isReady: async () => !isStopping && (await host.isReady()) }
  try {
    const listening = await listen(
      async (request) => (await serveHealth(request, health)) ?? app.fetch(request),
      config
    )
    return {
      url: listening.url,
      close: async () => {
        isStopping = true
        await mcp.close()
        await listening.close()
        await host.close()
      }
    }
  } catch (error) {
    await host.close()
    throw error
  }
}

/** One answered request: who, what, how long; nothing of what was said. */
const requestLine = ({ durationMs, ...entry }: RequestEntry): string =>
  JSON.stringify({
    time: new Date().toISOString(),
    level: entry.status >= 500 ? "error" : "info",
    message: "request",
    ...entry,
    durationMs: Math.round(durationMs * 10) / 10
  })

const order = ["debug", "info", "warning", "error"] as const

const shows = (least: ServerConfig["logLevel"], level: ServerConfig["logLevel"]): boolean =>
  order.indexOf(level) >= order.indexOf(least)

/** What looks like a key of ours, a bearer header or a password in an address is no matter for a log. */
const secrets = /\bsvc_[su]k_\w+|\bBearer +\S+|(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi

/** Log lines as JSON, one object a line, from the level on that is wanted. */
const jsonLogger = (
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
    log(JSON.stringify(line).replace(secrets, "[secret]"))
  })

const levelOf = (level: LogLevel.LogLevel): ServerConfig["logLevel"] => {
  if (LogLevel.lessThan(level, LogLevel.Info)) return "debug"
  if (LogLevel.lessThan(level, LogLevel.Warning)) return "info"
  return LogLevel.lessThan(level, LogLevel.Error) ? "warning" : "error"
}
