import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type EndedSpan, recordingTracer } from "../../../../adapters/host/span-tracer.js"

/** The spans that are kept of some work. */
const kept = async (work: Effect.Effect<unknown>, ratio: number): Promise<ReadonlyArray<EndedSpan>> => {
  const spans: Array<EndedSpan> = []
  const tracer = recordingTracer({ ratio, put: (span) => spans.push(span) })
  await Effect.runPromise(Effect.provide(work, Layer.setTracer(tracer)))
  return spans
}

const job = (links: ReadonlyArray<Tracer.SpanLink> = []) =>
  Effect.withSpan("job", { root: true, kind: "consumer", links })

const statements = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.void.pipe(Effect.withSpan("sql"), Effect.withSpan("step"))
  )

describe("the spans of a job", () => {
  it("are a whole tree, however many there would be", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 700 }), async (count) => {
        const spans = await kept(job()(statements(count)), 1)
        expect(spans).toHaveLength(Math.min(1 + 2 * count, 501))
        const ids = new Set(spans.map(({ spanId }) => spanId))
        const outermost = spans.filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId))
        expect(outermost.map(({ name }) => name)).toEqual(["job"])
      }),
      { numRuns: 20 }
    ))

  it("are kept by the ratio, and always where the request that asked for it is", async () => {
    const origin = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16) })
    const link: Tracer.SpanLink = { _tag: "SpanLink", span: origin, attributes: {} }
    expect(await kept(job()(statements(1)), 0)).toEqual([])
    const spans = await kept(job([link])(statements(1)), 0)
    expect(spans.map(({ name }) => name)).toEqual(["sql", "step", "job"])
    expect(spans.at(-1)?.links).toEqual([{ traceId: origin.traceId, spanId: origin.spanId }])
  })

  it("are those of jobs alone: other work of the server's own is not kept", async () => {
    expect(await kept(Effect.withSpan(statements(2), "watch"), 1)).toEqual([])
  })
})
