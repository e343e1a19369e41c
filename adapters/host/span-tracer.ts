import { randomBytes } from "node:crypto"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** An ended span, reduced to data that may leave the process. */
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
  /** Spans of other traces that this one is linked to. */
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

/** Receiver of ended spans, and the share of local traces that is sampled (0 to 1). */
export interface SpanSink {
  readonly ratio: number
  readonly put: (span: EndedSpan) => void
}

/** Number of spans that a trace may still start. */
interface Budget {
  left: number
}

/** Input of a new span. */
type Beginning = Pick<
  Tracer.Span,
  "name" | "parent" | "context" | "links" | "sampled" | "kind" | "traceId"
> & {
  readonly startNanos: bigint
  readonly budget?: Budget | undefined
}

/** Exported attribute prefixes. Other attributes may contain user data and stay here. */
const exportedAttribute = /^(?:http|db|error|kanon)\./
const textMax = 4096

/**
 * Records spans of sampled traces and exports each when it ends. Error messages and log lines are not recorded,
 * because they may quote user input; of a failure, only its tag is.
 */
class RecordedSpan implements Tracer.Span {
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
    if (this.sampled && exportedAttribute.test(name)) this.attributes.set(name, value)
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

/** Starts a trace, or continues one that a caller started. */
export const rootSpan = (
  beginning: Pick<Beginning, "name" | "context" | "startNanos">,
  from: { readonly parent: Option.Option<Tracer.ExternalSpan>; readonly ratio: number },
  put: (span: EndedSpan) => void
): Tracer.Span =>
  new RecordedSpan(
    {
      ...beginning,
      parent: from.parent,
      kind: "server",
      links: [],
      ...Option.match(from.parent, {
        onNone: () => {
          return newTrace(from.ratio)
        },
        // The caller that started the trace has decided whether it is sampled.
        onSome: ({ sampled, traceId }) => ({ traceId, sampled })
      })
    },
    put
  )

const newTrace = (ratio: number) => {
  const id = randomBytes(16)
  return { traceId: id.toString("hex"), sampled: isWithin(id, ratio) }
}

/** Decides by the trace id, so that every process makes the same decision. */
const isWithin = (traceId: Buffer, ratio: number): boolean =>
  traceId.readUInt32BE(traceId.length - 4) < ratio * 2 ** 32

/** Maximum spans of one job: a job that writes thousands of rows must not displace those of requests. */
const jobSpansMax = 500

/**
 * A tracer for Effect's spans. Records spans below a request; a job (a consumer without a parent) is a trace of its
 * own, sampled if the requesting span was, else by the ratio; other internal work is not recorded.
 */
export const recordingTracer = ({ put, ratio }: SpanSink): Tracer.Tracer =>
  Tracer.make({
    span: (name, parent, context, links, startNanos, kind) => {
      const beginning = { name, parent, context, links, startNanos, kind }
      if (Option.isSome(parent)) return new RecordedSpan({ ...beginning, ...below(parent.value) }, put)
      if (kind !== "consumer")
        return new RecordedSpan({ ...beginning, sampled: false, traceId: noTrace }, put)
      const trace = newTrace(ratio)
      const sampled = trace.sampled || links.some(({ span }) => span.sampled)
      return new RecordedSpan({ ...beginning, ...trace, sampled, budget: { left: jobSpansMax } }, put)
    },
    context: (work) => work()
  })

/** Decided when a span starts, so that none is recorded without its parent. */
const below = (parent: Tracer.AnySpan) => {
  const budget = parent instanceof RecordedSpan ? parent.budget : undefined
  if (budget !== undefined && parent.sampled) budget.left -= 1
  return {
    traceId: parent.traceId,
    sampled: parent.sampled && (budget === undefined || budget.left >= 0),
    budget
  }
}

const noTrace = "0".repeat(32)
