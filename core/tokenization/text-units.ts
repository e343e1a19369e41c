/** A text with its UTF-16 units, which may be shared: they are good until the next call of `unitsOf`. */
export interface TextUnits {
  readonly text: string
  /** As many as the text is long, and whatever behind them. */
  readonly units: Uint16Array
}

/** Room that is kept for the next text; a longer one gets its own. */
const keptUnits = 1 << 16
const sharedUnits = new Uint16Array(keptUnits)
const sharedBytes = new Uint8Array(keptUnits)
const encoder = new TextEncoder()

/**
 * The units of a text: an array is read faster than a string that is a part of another one. ASCII, most of most
 * texts, is copied in one go.
 */
export const unitsOf = (text: string): TextUnits => {
  if (text.length > keptUnits) return { text, units: copied(text, new Uint16Array(text.length)) }
  const { read, written } = encoder.encodeInto(text, sharedBytes)
  // As many bytes as units means that each is ASCII: whatever else there is takes more bytes.
  if (read !== text.length || written !== read) return { text, units: copied(text, sharedUnits) }
  sharedUnits.set(sharedBytes.subarray(0, written))
  return { text, units: sharedUnits }
}

const copied = (text: string, units: Uint16Array): Uint16Array => {
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  return units
}
