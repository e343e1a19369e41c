import { memoize } from "../../platform/caching/index.js"
import type { EvidencePassage } from "../evidence/index.js"

/** Title, headings and path of a passage. */
export const headTextOf = memoize(
  ({ passage }: EvidencePassage): string =>
    `${passage.docTitle} | ${passage.headingPath.join(" | ")} | ${passage.docPath
      .replace(/\.(?:md|markdown|mdx)$/iu, "")
      .split("/")
      .slice(-2)
      .join(" | ")}`
)
