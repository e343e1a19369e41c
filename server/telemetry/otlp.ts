import type { EndedSpan } from "../../adapters/host/span-tracer.js"

/** OTLP numbers of span kinds. */
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
const statusError = 2

/** Encodes a batch as an OTLP 1 `ExportTraceServiceRequest` in JSON. */
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

/** Encodes an attribute value; integers are strings in OTLP's JSON, like every 64-bit number. */
const valueOf = (value: string | number | boolean) => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
