import type { AskPart } from "../../core/engine/engine/index.js"
import { isWatched, paintNote, proseColumns } from "./terminal.js"
import { clean, wrap } from "./text.js"

/** Sentences of an answer on a terminal while it is written. */
export interface LiveSentences {
  readonly onPart: (part: AskPart) => void
  /** Takes them away again, before the whole answer is printed. */
  readonly clear: () => void
}

/** Shows the sentences on the standard error as they are checked; null where nobody watches it. */
export const liveSentences = (json: boolean, isSeen = isWatched): LiveSentences | null => {
  if (json || !isSeen) return null
  let rows = 0
  return {
    onPart: (part) => {
      if (part.type !== "claim") return
      const { citations, text } = part.claim
      const sentence = [text, ...citations.map((id) => `[${id}]`)].join(" ")
      const lines = wrap(clean(sentence), proseColumns())
      process.stderr.write(`${paintNote.dim(lines)}\n`)
      rows += lines.split("\n").length
    },
    clear: () => {
      // What has left the screen at its top cannot be taken away.
      const onScreen = Math.min(rows, Math.max((process.stderr.rows ?? rows + 1) - 1, 0))
      if (onScreen > 0) process.stderr.write(`\u001b[${onScreen}A\u001b[0J`)
      rows = 0
    }
  }
}
