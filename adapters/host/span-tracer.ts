import { randomBytes } from "node:crypto"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** A span that has ended, with what may leave the process. */
export interface EndedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly attributes: ReadonlyMap<string, string | number | boolean>
  readonly isError: boolean
  /** Spans of other traces that this one follows from. */
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

/** Where ended spans go, and which share of the traces that begin here is kept (0 to 1). */
export interface SpanSink {
  readonly ratio: number
  readonly put: (span: EndedSpan) => void
}

/** Spans that a trace may still begin. */
interface Budget {
  left: number
}

/** What a new span is made of. */
type Beginning = Pick<
  Tracer.Span,
  "name" | "parent" | "context" | "links" | "sampled" | "kind" | "traceId"
> & {
  readonly startNanos: bigint
  readonly budget?: Budget | undefined
}

/** Attributes of these kinds say how something was done; what anything else holds is not known, so it stays here. */
const told = /^(?:http|db|error|kanon)\./
const textMax = 4096

/**
 * Keeps spans of sampled traces and hands each over when it ends. Neither messages of errors nor log lines are kept:
 * they may quote what a user wrote. Of a failure, its tag is told.
 */
class KeptSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly spanId = randomBytes(8).toString("hex")
  readonly traceId: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly links: ReadonlyArray<Tracer.SpanLink>
  readonly sampled: boolean
  readonly kind: Tracer.SpanKind
  readonly attributes = new Map<string, unknown>()
  readonly budget: Budget | undefined
  status: Tracer.SpanStatus
  readonly #put: (span: EndedSpan) => void

  constructor(beginning: Beginning, put: (span: EndedSpan) => void) {
    this.name = beginning.name
    this.traceId = beginning.traceId
    this.parent = beginning.parent
    this.context = beginning.context
    this.links = beginning.links
    this.sampled = beginning.sampled
    this.kind = beginning.kind
    this.budget = beginning.budget
    this.status = { _tag: "Started", startTime: beginning.startNanos }
    this.#put = put
  }

  attribute(name: string, value: unknown): void {
    if (this.sampled && told.test(name)) this.attributes.set(name, value)
  }

  event(): void {}

  addLinks(): void {}

  end(endNanos: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    const { startTime: startNanos } = this.status
    this.status = { _tag: "Ended", startTime: startNanos, endTime: endNanos, exit }
    if (!this.sampled) return
    const isError = Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)
    if (isError) this.attribute("error.type", tagOf(exit.cause))
    const { kind, name, parent, spanId, traceId } = this
    const parentSpanId = Option.isSome(parent) ? parent.value.spanId : null
    const attributes = new Map([...this.attributes].map(([key, value]) => [key, plain(value)]))
    const links = this.links.map(({ span }) => ({ traceId: span.traceId, spanId: span.spanId }))
    this.#put({ traceId, spanId, parentSpanId, name, kind, startNanos, endNanos, attributes, isError, links })
  }
}

const plain = (value: unknown): string | number | boolean => {
  if (typeof value === "number" || typeof value === "boolean") return value
  const text = String(value)
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text
}

const tagOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (typeof error === "object" && error !== null && "_tag" in error) return String(error._tag)
  return error instanceof Error ? error.name : "defect"
}

/** Begins a trace, or a span of the trace that a caller began elsewhere. */
export const rootSpan = (
  beginning: Pick<Beginning, "name" | "context" | "startNanos">,
  from: { readonly parent: Option.Option<Tracer.ExternalSpan>; readonly ratio: number },
  put: (span: EndedSpan) => void
): Tracer.Span =>
  new KeptSpan(
    {
      ...beginning,
      parent: from.parent,
      kind: "server",
      links: [],
      ...Option.match(from.parent, {
        onNone: () => {
          return newTrace(from.ratio)
        },
        // Who began the trace has decided whether it is kept.
        onSome: ({ sampled, traceId }) => ({ traceId, sampled })
      })
    },
    put
  )

const newTrace = (ratio: number) => {
  const id = randomBytes(16)
  return { traceId: id.toString("hex"), sampled: isWithin(id, ratio) }
}

/** By the id, so that every process of a trace would decide alike. */
const isWithin = (traceId: Buffer, ratio: number): boolean =>
  traceId.readUInt32BE(traceId.length - 4) < ratio * 2 ** 32

/** Spans of one job: one that writes thousands of rows must not push those of requests out of the queue. */
const jobSpansMax = 500

/**
 * The tracer of Effect's spans. Those below a request are kept; a job (a consumer without a parent) is a trace of its
 * own, kept where the span that asked for it was, else by the ratio; other work of the server's own is not kept.
 */
export const keepingTracer = ({ put, ratio }: SpanSink): Tracer.Tracer =>
  Tracer.make({
    span: (name, parent, context, links, startNanos, kind) => {
      const beginning = { name, parent, context, links, startNanos, kind }
      if (Option.isSome(parent)) return new KeptSpan({ ...beginning, ...below(parent.value) }, put)
      if (kind !== "consumer") return new KeptSpan({ ...beginning, sampled: false, traceId: noTrace }, put)
      const trace = newTrace(ratio)
      const sampled = trace.sampled || links.some(({ span }) => span.sampled)
      return new KeptSpan({ ...beginning, ...trace, sampled, budget: { left: jobSpansMax } }, put)
    },
    context: (work) => work()
  })

/** Decided as a span begins, so that none is kept whose parent is not. */
const below = (parent: Tracer.AnySpan) => {
  const budget = parent instanceof KeptSpan ? parent.budget : undefined
  if (budget !== undefined && parent.sampled) budget.left -= 1
  return {
    traceId: parent.traceId,
    sampled: parent.sampled && (budget === undefined || budget.left >= 0),
    budget
  }
}

const noTrace = "0".repeat(32)
