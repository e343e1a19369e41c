import type { RenderedDocument } from "../../../../react/index.js"
import { usePerson } from "../../api/people.js"
import { useSession } from "../../api/session.js"
import { strings } from "../../strings.js"
import { isOverdue } from "./document-fields.js"

/** Whether this member changes the document, or only proposes changes of it. */
export interface DocumentCare {
  /** Changes are proposed: another member verified the document. */
  readonly isOthers: boolean
  /** Why the standing cannot be set; undefined where it can. */
  readonly reason: string | undefined
}

/**
 * Returns what the session may do with a document, as the server decides it: the member who verified it changes it until
 * its review is due, others propose. An administrator may set another standing.
 */
export const useDocumentCare = ({
  nextVerifyAt,
  verification,
  verifiedBy = null
}: RenderedDocument): DocumentCare => {
  const { actor, scopes } = useSession()
  const { name } = usePerson(verifiedBy ?? "")
  const isVerified = verification === "verified" || verification === "certified"
  const isOthers =
    isVerified &&
    !isOverdue(nextVerifyAt) &&
    verifiedBy?.startsWith("usr_") === true &&
    actor.startsWith("usr_") &&
    actor !== verifiedBy
  const isAdmin = scopes.includes("workspace:admin")
  return { isOthers, reason: isOthers && !isAdmin ? strings.documents.care.reason(name) : undefined }
}
