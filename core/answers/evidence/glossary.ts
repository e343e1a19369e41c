/** An entry of a glossary: "RTO – recovery time objective", "Term: RTO; Meaning: recovery time objective". */
export interface GlossaryEntry {
  /** The abbreviation. */
  readonly short: string
  /** What it stands for. */
  readonly name: string
}

/** Reads a unit as an entry of a glossary; null for other texts. */
export const glossaryEntryOf = (text: string): GlossaryEntry | null => {
  const [, short, name] = text.length > entryChars ? [] : (entry.exec(text) ?? [])
  return short === undefined || name === undefined ? null : { short, name }
}
const entryChars = 120
const entry =
  /^(?:[^:;]{1,20}: )?(\p{Lu}[\p{Lu}\p{N}]{1,5})s?(?:; [^:;]{1,20}: | ?[–—-] |: | \()(\p{L}[^.;:()]{4,80}?)\)?\.?$/u
