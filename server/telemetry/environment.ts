import type { ServerConfig } from "../config.js"
import type { ExporterOptions } from "./exporter.js"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the trace exporter's settings from the standard OpenTelemetry variables; none without a collector. Headers
 * may hold a secret, so they are not part of the displayed settings.
 */
export const exporterFrom = (
  { otlpEndpoint }: Pick<ServerConfig, "otlpEndpoint">,
  environment: Environment,
  version: string
): Omit<ExporterOptions, "note"> | undefined => {
  const whole = variableOf(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
  if (environment["OTEL_SDK_DISABLED"] === "true") return undefined
  const url = otlpEndpoint === undefined ? whole : (whole ?? `${otlpEndpoint.replace(/\/+$/, "")}/v1/traces`)
  if (url === undefined) return undefined
  const delayMs = Number(variableOf(environment, "OTEL_BSP_SCHEDULE_DELAY"))
  return {
    url,
    ...(Number.isInteger(delayMs) && delayMs > 0 ? { delayMs } : {}),
    headers: {
      ...pairs(variableOf(environment, "OTEL_EXPORTER_OTLP_HEADERS")),
      ...pairs(variableOf(environment, "OTEL_EXPORTER_OTLP_TRACES_HEADERS"))
    },
    resource: {
      "service.name": "kanon",
      "service.version": version,
      ...pairs(variableOf(environment, "OTEL_RESOURCE_ATTRIBUTES")),
      ...named(variableOf(environment, "OTEL_SERVICE_NAME"))
    }
  }
}

const variableOf = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() === "" ? undefined : environment[name]?.trim()

const named = (name: string | undefined): Readonly<Record<string, string>> =>
  name === undefined ? {} : { "service.name": name }

/** Parses `a=1,b=2` with percent-encoded parts; entries without `=` are ignored. */
const pairs = (text: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (text ?? "").split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      return at < 1 ? [] : [[decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))]]
    })
  )

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return text.trim()
  }
}
