import * as Headers from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { recordingTracer, rootSpan, type SpanSink } from "../../adapters/host/span-tracer.js"
import { type ExporterOptions, otlpExporter } from "./exporter.js"

/** The traces of a server. */
export interface Tracing {
  /** For the runtime that serves and works: Effect's spans, down to SQL, go below that of their request or job. */
  readonly tracer: Tracer.Tracer
  /** For work of this process that has a tracer of its own: a thread. */
  readonly sink: SpanSink
  readonly begin: BeginTrace
  readonly close: () => Promise<void>
}

/** Begins the span of a request, below that of its caller where a `traceparent` names one. */
export type BeginTrace = (
  request: Pick<Request, "method" | "headers">,
  route: string | null,
  requestId: string
) => RequestTrace

export interface RequestTrace {
  readonly span: Tracer.Span
  /** Ends it with what the log tells of the request too: never a question, a document or a secret. */
  readonly end: (outcome: RequestOutcome) => void
}

interface RequestOutcome {
  readonly status: number
  readonly workspace: string | null
  readonly keyId: string | null
  /** The code of the error, if there was one. */
  readonly error: string | null
}

/** Keeps the given share of the traces that begin here (0 to 1), and sends them to a collector. */
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
  // What a client did wrong is no failure of the server.
  if (status < 500 && error !== null) span.attribute("kanon.error", error)
  span.end(nowNanos(), status < 500 ? Exit.void : Exit.fail({ _tag: error ?? String(status) }))
}

/** The clock of Effect's own spans. */
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
