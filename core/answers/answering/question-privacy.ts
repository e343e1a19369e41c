import * as Effect from "effect/Effect"
import { Caller } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"

/** What a caller may read of the questions of others. */
export interface QuestionPrivacy {
  /** Whether the caller may read the questions of everybody. */
  readonly readsAll: boolean
  /** The name of an asker as the caller may see it: another person is `member`. */
  readonly shownAsker: (askedBy: string) => string
}

/** The asker of a question whose name the caller may not see. */
const hiddenAsker = "member"

/** Whether an asker is a person; keys and the local user are none. */
const isPerson = (askedBy: string): boolean => askedBy.startsWith("usr_")

/**
 * Returns what the caller may read of the questions of others: with `privacy.questions` `own` nothing, with `workspace`
 * everything for `workspace:admin`. The host itself reads everything.
 */
export const questionPrivacy: Effect.Effect<QuestionPrivacy, never, Caller | WorkspaceStore> = Effect.gen(
  function* () {
    const { actor, scopes, workspace } = yield* Caller
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const readsAll =
      scopes === undefined ||
      (settings.privacy.questions === "workspace" && scopes.includes("workspace:admin"))
    return {
      readsAll,
      shownAsker: (askedBy) => (readsAll || askedBy === actor || !isPerson(askedBy) ? askedBy : hiddenAsker)
    }
  }
)
