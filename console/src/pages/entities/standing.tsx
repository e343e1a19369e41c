import type { ReactNode } from "react"
import type { EntityWithCuration, Revision } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { usePerson } from "../../api/people.js"
import { useSession } from "../../api/session.js"
import { Badge } from "../../components/text.js"
import { entityText as text } from "../../strings/entities.js"

/** Whether this member answers for the entity, or only proposes changes of it. */
export interface Care {
  /** Changes are proposed: somebody else answers for the entity. */
  readonly isOthers: boolean
  /** Why what cannot be proposed is not possible; undefined where it is. */
  readonly reason: string | undefined
  /** The same for owner and stewards, which an administrator may set as well. */
  readonly ownerReason: string | undefined
}

/**
 * Returns what the session may do with an entity: its owner and stewards change it, other members propose changes.
 * A session without a member, such as one of a workspace key, changes it as the API allows.
 */
export const useCare = ({ curation: { ownerId, stewardIds } }: EntityWithCuration): Care => {
  const { actor, scopes } = useSession()
  const [first] = [ownerId, ...stewardIds].filter((id) => id !== null)
  const { name } = usePerson(first ?? "")
  const isMember = actor.startsWith("usr_")
  const isOthers =
    first !== undefined && isMember && actor !== ownerId && !stewardIds.some((id) => id === actor)
  const reason = isOthers ? text.care.reason(name) : undefined
  return { isOthers, reason, ownerReason: scopes.includes("workspace:admin") ? undefined : reason }
}

/** Fields whose change says something else than what was certified. */
const stated = ["name", "type", "aliases", "description"]

/** The version that was certified, and whether one of its fields has changed since. */
const certifiedOf = (revisions: ReadonlyArray<Revision>) => {
  const at = revisions.findIndex(
    ({ changeKind, diff }) =>
      changeKind === "certify" || (changeKind === "set_authority" && diff["authority"]?.to === "certified")
  )
  const certified = revisions[at]
  if (certified === undefined) return null
  const isEdited = revisions
    .slice(0, at)
    .some(({ diff }) => stated.some((field) => diff[field] !== undefined))
  return { version: certified.version, isEdited }
}

/** Says that a certified entity has been edited since, until it is certified again. */
export const CertifiedSince = ({ entity }: { readonly entity: EntityWithCuration }): ReactNode => {
  const { data } = useOperation(
    "listRevisions",
    { id: entity.id, limit: 200 },
    { enabled: entity.curation.authority === "certified" }
  )
  const found = data === undefined ? null : certifiedOf(data.revisions)
  if (found === null || !found.isEdited || entity.curation.authority !== "certified") return null
  return (
    <Badge tone="warn" data-testid="certified-since" data-version={String(found.version)}>
      {text.care.editedSince(found.version)}
    </Badge>
  )
}
