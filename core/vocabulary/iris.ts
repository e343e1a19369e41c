import { EntityId, prefixes } from "../kernel/index.js"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/**
 * The IRI of what has one of our ids and none of its own: the UUID inside the id (a TypeID is a prefix and a UUID in
 * base 32) as a URN, RFC 9562. It names the same thing wherever the id does.
 */
export const iriOf = (id: string): string => {
  let value = 0n
  for (const char of id.slice(id.lastIndexOf("_") + 1)) value = value * 32n + BigInt(alphabet.indexOf(char))
  const hex = value.toString(16).padStart(32, "0")
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return `urn:uuid:${parts.join("-")}`
}

/** The entity that such an IRI would be of; null for any other IRI. */
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

/** The IRI of a named thing that belongs to a workspace: a type of concepts, somebody who answers for them. */
export const partOf = (workspace: string, kind: "type" | "agent", name: string): string =>
  `${iriOf(workspace)}#${kind}/${encodeURIComponent(name.toWellFormed())}`

/** An absolute IRI that every syntax of RDF can write (RFC 3987, without what it excludes). */
export const isIri = (text: string): boolean =>
  text.isWellFormed() && /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`\u0000-\u001f]+$/i.test(text)
