import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type { BenchWorkspace } from "./workspace.js"

/** Runs the effect and counts what it did: exact, where a clock is not. */
export const statementsOf = async (
  { run }: BenchWorkspace,
  effect: Parameters<BenchWorkspace["run"]>[0]
): Promise<Readonly<Record<"SQL statements" | "commits" | "spans", number>>> => {
  const counts = { "SQL statements": 0, commits: 0, spans: 0 }
  const counting = (inner: Tracer.Tracer) =>
    Tracer.make({
      context: inner.context,
      span: (...given) => {
        const span = inner.span(...given)
        counts.spans += 1
        if (span.name === "sql.execute") counts["SQL statements"] += 1
        const event = span.event.bind(span)
        span.event = (name, ...rest) => {
          if (name === "db.transaction.commit") counts.commits += 1
          event(name, ...rest)
        }
        return span
      }
    })
  await run(Effect.flatMap(Effect.tracer, (tracer) => Effect.withTracer(effect, counting(tracer))))
  return counts
}
