/** A text with its UTF-16 units in a shared buffer, valid until the next call of `unitsOf`. */
export interface TextUnits {
  readonly text: string
  /** At least as long as the text; the rest is undefined. */
  readonly units: Uint16Array
}

/** Size of the shared buffer; a longer text gets its own. */
const keptUnits = 1 << 16
const sharedUnits = new Uint16Array(keptUnits)
const sharedBytes = new Uint8Array(keptUnits)
const encoder = new TextEncoder()

/**
 * Returns the units of a text: reading an array is faster than reading a string that is a slice of another. ASCII is
 * copied in one call.
 */
export const unitsOf = (text: string): TextUnits => {
  if (text.length > keptUnits) return { text, units: copied(text, new Uint16Array(text.length)) }
  const { read, written } = encoder.encodeInto(text, sharedBytes)
  // Equal numbers of bytes and units mean pure ASCII: any other character takes more bytes.
  if (read !== text.length || written !== read) return { text, units: copied(text, sharedUnits) }
  sharedUnits.set(sharedBytes.subarray(0, written))
  return { text, units: sharedUnits }
}

const copied = (text: string, units: Uint16Array): Uint16Array => {
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  return units
}
