import { z } from "zod"
import { listenOnLoopback } from "./loopback.js"

const Attribute = z.strictObject({
  key: z.string(),
  value: z.union([
    z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
    z.strictObject({ intValue: z.string().regex(/^\d+$/) }).transform(({ intValue }) => Number(intValue)),
    z.strictObject({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
    z.strictObject({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue)
  ])
})
const Attributes = z
  .array(Attribute)
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])))
const Nanos = z.string().regex(/^\d{19}$/)

/** A span, as a collector of OTLP/HTTP takes it in JSON. */
const Span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string(),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: Attributes,
  status: z.strictObject({ code: z.literal(2).optional() }),
  links: z
    .array(
      z.strictObject({
        traceId: z.string().regex(/^[0-9a-f]{32}$/),
        spanId: z.string().regex(/^[0-9a-f]{16}$/)
      })
    )
    .min(1)
    .optional()
})
export type CollectedSpan = z.output<typeof Span>

const Export = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(Span) })
      )
    })
  )
})

/** A collector of traces for tests: it reads all that it is sent, and refuses what is not OTLP. */
export const startCollector = async () => {
  const spans: Array<CollectedSpan> = []
  const bodies: Array<string> = []
  const resources: Array<Readonly<Record<string, unknown>>> = []
  const authorizations: Array<string | undefined> = []
  let status = 200
  const { close, url } = await listenOnLoopback((request, response, sent) => {
    const body = String(sent)
    const read = Export.safeParse(JSON.parse(body))
    if (request.method !== "POST" || request.url !== "/v1/traces" || !read.success) status = 400
    if (read.success && status === 200) {
      bodies.push(body)
      authorizations.push(request.headers.authorization)
      for (const { resource, scopeSpans } of read.data.resourceSpans) {
        resources.push(resource.attributes)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans))
      }
    }
    response.writeHead(status, { "content-type": "application/json" }).end("{}")
  })
  return {
    url,
    spans,
    bodies,
    resources,
    authorizations,
    /** Sets the status of further replies. */
    answerWith: (next: number) => {
      status = next
    },
    close
  }
}
