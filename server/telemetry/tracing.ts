import * as Headers from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { recordingTracer, rootSpan, type SpanSink } from "../../adapters/host/span-tracer.js"
import { type ExporterOptions, otlpExporter } from "./exporter.js"

/** Tracing of a server. */
export interface Tracing {
  /** Tracer for the runtime: Effect's spans, down to SQL, become children of their request or job. */
  readonly tracer: Tracer.Tracer
  /** Receives the spans of a thread, which has its own tracer. */
  readonly sink: SpanSink
  readonly begin: BeginTrace
  readonly close: () => Promise<void>
}

/** Starts the span of a request, as a child of the caller's span if there is a `traceparent`. */
export type BeginTrace = (
  request: Pick<Request, "method" | "headers">,
  route: string | null,
  requestId: string
) => RequestTrace

export interface RequestTrace {
  readonly span: Tracer.Span
  /** Ends the span with the fields of the request log: never a question, a document or a secret. */
  readonly end: (outcome: RequestOutcome) => void
}

interface RequestOutcome {
  readonly status: number
  readonly workspace: string | null
  readonly keyId: string | null
  /** The error code, if any. */
  readonly error: string | null
}

/** Starts tracing: samples the given share of new traces (0 to 1) and exports them. */
export const startTracing = (options: ExporterOptions & { readonly ratio: number }): Tracing => {
  const exporter = otlpExporter(options)
  const begin: BeginTrace = ({ headers, method }, route, requestId) => {
    const span = rootSpan(
      {
        name: route === null ? method : `${method} ${route}`,
        context: Context.empty(),
        startNanos: nowNanos()
      },
      { parent: parentIn(headers), ratio: options.ratio },
      exporter.put
    )
    span.attribute("http.request.method", method)
    if (route !== null) span.attribute("http.route", route)
    span.attribute("kanon.request_id", requestId)
    return { span, end: (outcome) => endWith(span, outcome) }
  }
  const sink = { put: exporter.put, ratio: options.ratio }
  return { tracer: recordingTracer(sink), sink, begin, close: exporter.close }
}

const endWith = (span: Tracer.Span, { error, keyId, status, workspace }: RequestOutcome): void => {
  span.attribute("http.response.status_code", status)
  if (workspace !== null) span.attribute("kanon.workspace", workspace)
  if (keyId !== null) span.attribute("kanon.key_id", keyId)
  // A client error is no failure of the server.
  if (status < 500 && error !== null) span.attribute("kanon.error", error)
  span.end(nowNanos(), status < 500 ? Exit.void : Exit.fail({ _tag: error ?? String(status) }))
}

/** Clock of Effect's own spans. */
const clock = Clock.make()
const nowNanos = (): bigint => clock.unsafeCurrentTimeNanos()

const isNothing = /^0+$/

const parentIn = (headers: Request["headers"]): Option.Option<Tracer.ExternalSpan> => {
  const traceparent = headers.get("traceparent")?.toLowerCase()
  if (traceparent === undefined) return Option.none()
  return Option.filter(
    HttpTraceContext.w3c(Headers.fromInput({ traceparent })),
    ({ spanId, traceId }) => !isNothing.test(traceId) && !isNothing.test(spanId)
  )
}
