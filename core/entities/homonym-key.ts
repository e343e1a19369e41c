/** Stands between the shared name and the document; a surface key holds no line break. */
const separator = "\n"

/** Returns the claim key of an entity whose name several documents bear: that of one of them. */
export const homonymKey = (key: string, documentId: string): string => `${key}${separator}${documentId}`

/** Returns the name of a claim key, without the document. */
export const sharedKey = (claimKey: string): string => claimKey.split(separator, 1)[0] ?? claimKey

/** Returns whether an entity with this claim key is the one of the document. */
export const isClaimOf = (claimKey: string, documentId: string): boolean =>
  !claimKey.includes(separator) || claimKey.endsWith(`${separator}${documentId}`)
