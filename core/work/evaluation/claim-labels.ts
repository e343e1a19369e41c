import * as Effect from "effect/Effect"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  type EvalId,
  invalid,
  NotFound,
  now,
  traced
} from "../../platform/kernel/index.js"
import { judgeCorrections, nextClaimClass } from "./judge-corrections.js"
import type { EvalClaim, EvalResult } from "./model.js"
import { allResults } from "./read.js"
import { claimJudgeOf } from "./run.js"
import { EvalStore } from "./store.js"

/** A claim that no person has labelled, by its topic and its place in the answer, from 1. */
export interface ClaimToLabel extends EvalClaim {
  readonly queryId: string
  readonly query: string
  readonly claim: number
}

/**
 * The claims of a run that no person has labelled. First come those of the class, verified or not, whose labels narrow
 * the interval of the corrected groundedness most; Conflict while the run is not over.
 */
export const claimsToLabel = traced("evaluation.claimsToLabel")(function* (id: EvalId, limit: number) {
  const { results } = yield* allResults(id)
  const first = nextClaimClass(results)
  const open = results.flatMap(({ claims = [], query, queryId }) =>
    claims.flatMap(
      (claim, at): ReadonlyArray<ClaimToLabel> =>
        claim.label === undefined ? [{ ...claim, queryId, query, claim: at + 1 }] : []
    )
  )
  const isFirst = ({ verified }: EvalClaim): boolean => verified === (first === "positive")
  const items = [...open.filter(isFirst), ...open.filter((one) => !isFirst(one))].slice(0, limit)
  return { items, total: open.length }
})

/** A person's label of one claim: the citations that together support it; empty when it is unsupported. */
export interface ClaimLabel {
  readonly queryId: string
  readonly claim: number
  readonly supportedBy: ReadonlyArray<string>
}

/**
 * Stores what the caller says of claims and corrects the figures of the run anew, in one unit of work. NotFound for a
 * claim that is not there, InvalidInput for a citation that the claim does not have.
 */
export const labelClaims = traced("evaluation.labelClaims")(function* (
  id: EvalId,
  labels: ReadonlyArray<ClaimLabel>
) {
  const [store, judgments] = [yield* EvalStore, (yield* EvalStore).judgments]
  const { actor, workspace } = yield* Caller
  return yield* atomically(
    Effect.gen(function* () {
      const { run } = yield* allResults(id)
      const { done: _done, ...stored } = run
      const at = yield* now
      // The run is written first: whoever labels at the same moment waits for it and then reads these labels.
      yield* store.update(workspace, stored, "succeeded")
      const rows = yield* store.topics(workspace, id, 0, run.topics)
      const results = new Map<string, EvalResult>(
        rows.flatMap(({ result }) => (result === null ? [] : [[result.queryId, result] as const]))
      )
      for (const [place, { claim, queryId, supportedBy }] of labels.entries()) {
        const result = results.get(queryId)
        const found = result?.claims?.[claim - 1]
        if (result === undefined || found === undefined) return yield* new NotFound({ what: "claim" })
        const unknown = supportedBy.find((one) => !found.citations.some((cited) => cited.id === one))
        if (unknown !== undefined)
          return yield* invalid(
            ["labels", place, "supportedBy"],
            "unknown",
            `The claim does not cite ${unknown}.`
          )
        const label = { supportedBy: [...supportedBy], by: actor, at }
        const claims = (result.claims ?? []).map((one, index) =>
          index === claim - 1 ? { ...one, label } : one
        )
        results.set(queryId, { ...result, claims })
      }
      const changed = new Set(labels.map(({ queryId }) => queryId))
      yield* store.putResults(
        workspace,
        id,
        rows.flatMap((row) => {
          const result = results.get(row.topic.queryId)
          return result !== undefined && changed.has(result.queryId) ? [{ ...row, result }] : []
        })
      )
      const corrections = judgeCorrections(
        rows.map(({ topic }) => topic),
        [...results.values()],
        yield* judgments.labels(workspace, run.set),
        claimJudgeOf(run)
      )
      yield* store.update(workspace, { ...stored, judgeCorrections: [...corrections] }, "succeeded")
      yield* record([{ action: "eval.label", subjectId: id, details: { claims: labels.length } }])
      const all = [...results.values()].flatMap(({ claims = [] }) => claims)
      return {
        claims: all.length,
        labelled: all.filter(({ label }) => label !== undefined).length,
        judgeCorrections: [...corrections]
      }
    })
  )
})
