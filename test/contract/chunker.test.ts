import { chunkDocument, parseMarkdown } from "../../core/files/markdown/index.js"
import { chunkerContract } from "./chunker.js"

chunkerContract("the built-in one", {
  name: "kanon/built-in",
  version: "1",
  cut: ({ bodyStart, maxChars, overlapChars, text }) =>
    chunkDocument(parseMarkdown(text, bodyStart), { maxChars, overlapChars })
})
chunkerContract("a passage for each block", {
  name: "test/blocks",
  version: "1",
  cut: ({ blocks }) =>
    blocks.flatMap(({ end, start }) =>
      end - start > 20_000
        ? [{ start, end: start + 20_000, headingPath: [] }]
        : [{ start, end, headingPath: [] }]
    )
})
