import { Caller, type Examiner, traced } from "../kernel/index.js"
import { ChangeRequestStore } from "./store.js"

/** The kinds of what may be wrong with change requests. */
export const requestFindings = { request_astray: "remark" } as const

const astrayMax = 1000

/**
 * Finds requests whose entity was never there. Nothing has to be mended: such a request cannot be approved, and
 * what it says is kept nowhere else, so whoever reads it may reject it.
 */
export const checkRequests = traced("curation.check")(function* (
  examiner: Examiner<keyof typeof requestFindings>
) {
  const [store, { workspace }] = [yield* ChangeRequestStore, yield* Caller]
  for (const id of yield* store.astray(workspace, astrayMax))
    yield* examiner.tell("request_astray", {
      subject: id,
      message: "the change request is about an entity that there never was; it can be rejected"
    })
})
