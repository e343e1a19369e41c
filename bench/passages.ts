import { chunkDocument } from "../core/files/markdown/chunk.js"
import { parseFrontMatter } from "../core/files/markdown/front-matter.js"
import { parseMarkdown } from "../core/files/markdown/parse-markdown.js"
import { Settings } from "../core/platform/workspace/index.js"
import { embedText } from "../core/search/vectors/stored-vector.js"
import { readCorpus } from "./data.js"
import { variations } from "./vary.js"

/**
 * The indexed texts of so many passages of the vault `eips`, beyond its size written out again in other words; null
 * when the vault is not there.
 */
export const passageTexts = (count: number, seed: number): ReadonlyArray<string> | null => {
  const base = readCorpus("eips")
  if (base === null) return null
  const { chunking } = Settings.parse({})
  const vary = variations(
    base.map(({ text }) => text),
    seed
  )
  const texts: Array<string> = []
  for (let copy = 0; texts.length < count; copy += 1) {
    for (const document of base) {
      const [title, text] = [vary(document.title, copy), vary(document.text, copy)]
      const parsed = parseMarkdown(text, parseFrontMatter(text).bodyStart)
      for (const chunk of chunkDocument(parsed, chunking)) texts.push(embedText(title, chunk))
      if (texts.length >= count) break
    }
  }
  return texts.slice(0, count)
}
