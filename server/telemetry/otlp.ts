import type { EndedSpan } from "../../adapters/host/span-tracer.js"

/** The numbers of OTLP for what a span is. */
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
const statusError = 2

/** A batch as an `ExportTraceServiceRequest` of OTLP 1, in its JSON form. */
export const encode = (spans: ReadonlyArray<EndedSpan>, resource: Readonly<Record<string, string>>) => ({
  resourceSpans: [
    {
      resource: { attributes: Object.entries(resource).map(attribute) },
      scopeSpans: [{ scope: { name: "kanon" }, spans: spans.map(encodeSpan) }]
    }
  ]
})

const encodeSpan = (span: EndedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: String(span.startNanos),
  endTimeUnixNano: String(span.endNanos),
  attributes: [...span.attributes].map(attribute),
  status: span.isError ? { code: statusError } : {},
  ...(span.links.length === 0 ? {} : { links: span.links })
})

const attribute = ([key, value]: readonly [string, string | number | boolean]) => ({
  key,
  value: valueOf(value)
})

/** Whole numbers are text in OTLP's JSON, like every number of 64 bits. */
const valueOf = (value: string | number | boolean) => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
