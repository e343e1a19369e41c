/** The version of the format that brought the chain of the audit trail. */
export const chainedSince = 2
/** The version that brought the revision of the settings. */
export const countedSince = 5
/** The version that knows documents in the trash whose text is lost. */
const textlessSince = 6

/** What earlier versions did not tell, put where this one tells it; undefined when it is there although it cannot be. */
export const withLaterFields = (value: unknown, version: number, position: number): unknown => {
  if (!isRecord(value)) return value
  if (version < textlessSince && value["kind"] === "document" && value["content"] === null) return undefined
  if (version >= countedSince) return value
  const added: Readonly<Record<string, unknown>> =
    value["kind"] === "workspace"
      ? { revision: 1, ...(version < chainedSince ? { auditHead: null } : {}) }
      : value["kind"] === "audit" && version < chainedSince
        ? { position, requestId: null, prevHash: noHash, hash: noHash }
        : {}
  return Object.keys(added).some((name) => name in value) ? undefined : { ...value, ...added }
}

const noHash = "0".repeat(64)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
