import type { ChangeRequest } from "../../../../server/client/index.js"
import { requestText } from "../../strings/requests.js"

/** The name that a request is known by. */
export const requestName = ({ entityName, kind, payload }: ChangeRequest): string => {
  const proposed = payload["name"]
  if (kind === "create" && typeof proposed === "string") return proposed
  return entityName ?? requestText.unnamed
}
