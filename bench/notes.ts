import { type CorpusDocument, readCorpus, readQueries } from "./data.js"
import { variations } from "./vary.js"

/** Characters of a note: about what a passage of a vault has. */
const noteUnits = 640
const noteUnitsMin = 200

/** Short documents of one passage each, as many as are wanted, and questions about them. */
export interface Notes {
  /** The note with this number, from 0; the same each time. */
  readonly at: (place: number) => CorpusDocument
  readonly queries: ReadonlyArray<string>
}

/**
 * The texts of the `eips` collection cut into notes, then again and again in other words. Null when the collection is
 * not there.
 */
export const notesOf = (seed: number): Notes | null => {
  const base = readCorpus("eips")
  if (base === null) return null
  const pieces = base.flatMap(({ text, title }) => cut(text).map((piece) => ({ title, text: piece })))
  const vary = variations(
    base.map(({ text }) => text),
    seed
  )
  return {
    at: (place) => {
      const copy = Math.floor(place / pieces.length)
      const { text = "", title = "" } = pieces[place % pieces.length] ?? {}
      return { id: `${place}`, title: vary(title, copy), text: vary(text, copy) }
    },
    queries: readQueries("eips").map(({ text }) => text)
  }
}

/** Cuts at the ends of lines. */
const cut = (text: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let piece = ""
  for (const line of text.split("\n")) {
    if (piece.length + line.length > noteUnits && piece.length >= noteUnitsMin) {
      pieces.push(piece)
      piece = ""
    }
    piece += `${line}\n`
  }
  if (piece.trim() !== "") pieces.push(piece)
  return pieces
}
