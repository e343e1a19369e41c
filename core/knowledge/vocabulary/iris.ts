import { EntityId, prefixes } from "../../platform/kernel/index.js"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/**
 * Returns the IRI of an item that has no IRI of its own: the UUID inside its TypeID as a URN (RFC 9562). It is the
 * same in every workspace that holds the id.
 */
export const iriOf = (id: string): string => {
  let value = 0n
  for (const char of id.slice(id.lastIndexOf("_") + 1)) value = value * 32n + BigInt(alphabet.indexOf(char))
  const hex = value.toString(16).padStart(32, "0")
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return `urn:uuid:${parts.join("-")}`
}

/** Returns the entity id of such an IRI, or null. */
export const entityOf = (iri: string): EntityId | null => {
  const uuid = /^urn:uuid:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.exec(iri)?.[1]
  if (uuid === undefined) return null
  let value = BigInt(`0x${uuid.replaceAll("-", "")}`)
  let text = ""
  for (let place = 0; place < 26; place++) {
    text = `${alphabet[Number(value % 32n)] ?? ""}${text}`
    value /= 32n
  }
  return EntityId.safeParse(`${prefixes.entity}_${text}`).data ?? null
}

/** Returns the IRI of a named item of a workspace: a concept type or an agent. */
export const namedPartIri = (workspace: string, kind: "type" | "agent", name: string): string =>
  `${iriOf(workspace)}#${kind}/${encodeURIComponent(name.toWellFormed())}`

/** Returns whether a text is an absolute IRI (RFC 3987) that every RDF syntax can write. */
export const isIri = (text: string): boolean =>
  text.isWellFormed() && /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`\u0000-\u001f]+$/i.test(text)

/** Returns the last part of an IRI, decoded. */
export const lastSegment = (iri: string): string => {
  const segment = /(?<![^/#:])[^/#:]*$/.exec(iri)?.[0] ?? ""
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
