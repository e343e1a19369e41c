import type { FrontMatter } from "./front-matter.js"

/** Front matter keys of programs that store a drawing in the body of a note. */
const programs: Readonly<Record<string, string>> = {
  "excalidraw-plugin": "Excalidraw",
  "tldraw-file": "tldraw",
  "diagram-plugin": "Diagrams"
}

/** Share of a body, and length of a line, from which it is encoded data rather than text. */
const [encodedShare, encodedLineChars] = [0.8, 2_000]

/**
 * Returns the reason why a body is data of a program and no text, or null: it belongs to a drawing, or consists
 * mostly of long lines of ASCII without a blank (compressed or encoded data).
 */
export const machineMade = (
  path: string,
  { other }: FrontMatter,
  source: string,
  bodyStart: number
): string | null => {
  const key = Object.keys(programs).find((name) => Object.hasOwn(other, name))
  const program =
    key === undefined ? (/\.excalidraw\.md$/iu.test(path) ? "Excalidraw" : undefined) : programs[key]
  if (program !== undefined) return `The body is a drawing of ${program}`
  if (source.length - bodyStart < encodedLineChars) return null
  let encoded = 0
  for (const line of source.slice(bodyStart).split("\n"))
    if (line.length >= encodedLineChars && /^[\x21-\x7e]+$/.test(line.slice(0, encodedLineChars)))
      encoded += line.length
  return encoded > encodedShare * (source.length - bodyStart) ? "The body is encoded data" : null
}
