import { setTimeout as pause } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { warmUpAnswers } from "../core/answers/answering/index.js"
import { type Ended, JobStore } from "../core/platform/jobs/index.js"
import { ownNames, type ServerConfig, scopesByRole } from "./config.js"
import { consoleRoutes } from "./console/index.js"
import { basePath } from "./console/pages.js"
import { type Host, openHost } from "./host.js"
import { makeApp } from "./http/app.js"
import { BodyBudget } from "./http/body-budget.js"
import { serveHealth } from "./http/health.js"
import { serverMetrics } from "./http/observe.js"
import { listen } from "./listen.js"
import { jsonLogger, requestLine, shows } from "./log.js"
import type { McpHttp } from "./mcp/http.js"
import { issuerOf, resourceMetadataAt } from "./sign-in/metadata.js"
import type { DataPlace } from "./store.js"
import { exporterFrom } from "./telemetry/environment.js"
import type { Tracing } from "./telemetry/tracing.js"

/** The jobs of all workspaces, for the metrics. */
const jobCensus = (runtime: Host["runtime"]) =>
  Effect.promise(() => runtime.runPromise(Effect.flatMap(JobStore, ({ census }) => census)))

/** A running server. */
export interface Running {
  readonly url: string
  /** Waits for running requests, returns jobs to the queue, closes the data. */
  readonly close: () => Promise<void>
}

export interface ServerOptions {
  readonly place: DataPlace
  readonly config: ServerConfig
  readonly version: string
  /** Environment with the OpenTelemetry variables. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Receives JSON log lines. */
  readonly log: (line: string) => void
}

/** A server without a socket; the owner of the socket passes requests. */
export interface Opened {
  readonly fetch: (request: Request) => Promise<Response>
  /** Reports not ready, ends streams that would never end and stops background work; requests are still answered. */
  readonly drain: () => Promise<void>
  /** Returns jobs to the queue, closes the data. */
  readonly close: () => Promise<void>
}

/**
 * Opens REST, MCP, health checks and the background work of one data folder. The server's layers are composed only
 * here.
 */
export const openServer = async (options: ServerOptions): Promise<Opened> => {
  const { config, log, place, version } = options
  const tracing = await tracingOf(options)
  const host = await openHost({
    ...place,
    ...(tracing === undefined ? {} : { tracing }),
    worker: config.worker,
    ...hostSettings(options)
  })
  const metrics = serverMetrics(jobCensus(host.runtime))
  const { bodiesLimitBytes, bodyLimitBytes, bodyTimeoutMs } = config
  const budget = new BodyBudget({
    bytes: bodiesLimitBytes,
    bodyBytes: bodyLimitBytes,
    bodyMs: bodyTimeoutMs
  })
  const mcp = onFirstUse(async () => {
    const { mcpHttp } = await import("./mcp/http.js").catch((cause: unknown) => {
      const message =
        "MCP needs the package @modelcontextprotocol/server: npm install @modelcontextprotocol/server"
      throw new Error(message, { cause })
    })
    return mcpHttp({
      runtime: host.runtime,
      version,
      allowedOrigins: config.mcpOrigins,
      sessionsMax: config.mcpSessionsMax,
      bodyBytes: bodyLimitBytes,
      bodyMs: bodyTimeoutMs,
      budget,
      consoleUrl: config.console === true ? ({ url }: Request) => config.origin ?? new URL(url).origin : null,
      signInAt: (request: Request) => {
        const issuer = config.console === true ? issuerOf(request, config) : null
        return issuer === null ? null : resourceMetadataAt(issuer)
      },
      ...ownNames(config)
    })
  })
  const app = makeApp({
    runtime: host.runtime,
    mcp,
    checkResponses: config.checkResponses,
    limits: { bodyBytes: bodyLimitBytes, bodyMs: bodyTimeoutMs },
    budget,
    onRequest: (entry) => {
      metrics.count(entry)
      if (shows(config.logLevel, "info")) log(requestLine(entry))
    },
    ...(config.console === true ? { console: consoleRoutes(config, host.runtime) } : {}),
    ...(tracing === undefined ? {} : { trace: tracing.begin }),
    ...(config.origin === undefined ? {} : { origin: config.origin })
  })
  let isStopping = false
  const health = {
    metrics,
    isReady: async () => !isStopping && (await host.isReady()),
    shortage: host.shortage,
    replicas: host.replicas
  }
  return {
    fetch: async (given) => {
      const request = withoutBase(given, basePath(config))
      return (await serveHealth(request, health)) ?? app.fetch(request)
    },
    drain: async () => {
      isStopping = true
      // Awaited by `close`. Requests that are being served do not wait for it.
      host.stopWork().catch(() => undefined)
      await mcp.close()
    },
    close: async () => {
      await host.close()
      await tracing?.close()
    }
  }
}

/** A proxy may leave the path of `origin` in front of a request's own path. */
const withoutBase = (request: Request, base: string): Request => {
  if (base === "/" || !request.url.includes(base)) return request
  const url = new URL(request.url)
  if (!url.pathname.startsWith(base)) return request
  url.pathname = url.pathname.slice(base.length - 1)
  const { body, headers, method, signal } = request
  return new Request(url, {
    method,
    headers,
    signal,
    ...(body === null || method === "GET" || method === "HEAD" ? {} : { body, duplex: "half" })
  })
}

/** Returns what the host takes from the configuration of a server, whatever the process does. */
const hostSettings = ({ config, log }: Pick<ServerOptions, "config" | "log">) => {
  const { contradictionsEveryMs, reconcileEveryMs, retentionEveryMs, stalenessEveryMs } = config
  return {
    workerSlots: config.workerSlots,
    upkeep: { contradictionsEveryMs, reconcileEveryMs, retentionEveryMs, stalenessEveryMs },
    builtInModels: config.builtInModels,
    privateModelAddresses: config.privateModelAddresses,
    ...(config.thesaurusFolder === undefined ? {} : { thesaurusFolder: config.thesaurusFolder }),
    liveDataFolders: config.liveDataFolders,
    privateDataAddresses: config.privateDataAddresses,
    mcpCommands: config.mcpCommands,
    mcpEnvironment: config.mcpEnvironment,
    privateConnectorAddresses: config.privateConnectorAddresses,
    sourceFolders: config.sourceFolders,
    roleScopes: scopesByRole(config),
    logger: jsonLogger(config.logLevel, log)
  }
}

/** A process that only runs jobs. */
export interface Working {
  /** URL of its health endpoints; null if disabled. */
  readonly url: string | null
  /** Returns jobs to the queue, closes the data. */
  readonly close: () => Promise<void>
}

export interface WorkingOptions extends Omit<ServerOptions, "environment"> {
  /** Called for each finished attempt. */
  readonly onJobEnd: (ended: Ended) => Effect.Effect<void>
  /** Whether health and metrics are served at the configured host and port. */
  readonly isHealthServed: boolean
}

/** Runs the jobs of all workspaces; serves only its own health endpoints. */
export const startWorking = async (options: WorkingOptions): Promise<Working> => {
  const { config, isHealthServed, onJobEnd, place } = options
  const host = await openHost({
    ...place,
    worker: true,
    watches: false,
    onJobEnd,
    ...hostSettings(options)
  })
  const health = {
    metrics: serverMetrics(jobCensus(host.runtime)),
    isReady: host.isReady,
    shortage: host.shortage,
    replicas: host.replicas
  }
  const served = async (request: Request) =>
    (await serveHealth(request, health)) ?? new Response(null, { status: 404 })
  try {
    const listening = isHealthServed ? await listen(served, config) : undefined
    return {
      url: listening?.url ?? null,
      close: async () => {
        await listening?.close()
        await host.close()
      }
    }
  } catch (error) {
    await host.close()
    throw error
  }
}

/**
 * How long a stopping server waits for its data once all requests are answered. What takes longer ends with the process,
 * and is recovered like the work of one that was killed.
 */
const closeMaxMs = 2_500

/** Starts the standard server on its own socket. */
export const startServer = async (options: ServerOptions): Promise<Running> => {
  const server = await openServer(options)
  try {
    const listening = await listen(server.fetch, options.config)
    const warmingUp = Effect.runFork(warmUpAnswers)
    return {
      url: listening.url,
      close: async () => {
        await Effect.runPromise(Fiber.interrupt(warmingUp))
        await server.drain()
        await listening.close()
        await Promise.race([server.close(), pause(closeMaxMs, undefined, { ref: false })])
      }
    }
  } catch (error) {
    await server.drain()
    await server.close()
    throw error
  }
}

/** Loads the MCP library at the first MCP request, because it loads slowly. */
const onFirstUse = (make: () => Promise<McpHttp>): McpHttp => {
  let made: Promise<McpHttp> | undefined
  return {
    serve: async (...request) => {
      made ??= make()
      return (await made).serve(...request)
    },
    close: async () => (await made)?.close()
  }
}

/** Starts tracing if a collector is configured; otherwise loads nothing. */
const tracingOf = async ({
  config,
  environment,
  log,
  version
}: Pick<ServerOptions, "config" | "environment" | "log" | "version">): Promise<Tracing | undefined> => {
  const exporter = exporterFrom(config, environment, version)
  if (exporter === undefined) return undefined
  const { startTracing } = await import("./telemetry/tracing.js")
  return startTracing({
    ...exporter,
    ratio: config.traceRatio,
    note: (level, message) => {
      if (shows(config.logLevel, level))
        log(JSON.stringify({ time: new Date().toISOString(), level, message }))
    }
  })
}
