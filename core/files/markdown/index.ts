/** Markdown as text: parsing, front matter, links, paths and the chunks of a document. Pure. */

export { withBodyFields } from "./body-fields.js"
export { type ChunkDraft, chunkDocument, frontMatterChunks, numbered } from "./chunk.js"
export { hideComments } from "./comments.js"
export { type FrontMatter, parseFrontMatter } from "./front-matter.js"
export { scanInline } from "./inline.js"
export { cutText, isSpace } from "./line-scanner.js"
export { machineMade } from "./machine-made.js"
export {
  type Block,
  documentTitle,
  firstHeading,
  normalizeLabel,
  type ParsedMarkdown,
  parseMarkdown
} from "./parse-markdown.js"
export { splitContext } from "./passage-context.js"
export {
  convertibleMediaType,
  folderOf,
  isConvertible,
  isImage,
  isMarkdown,
  isOtherText,
  isVaultFile,
  judgeDiskPath,
  parseDocumentPath,
  parseVaultScope,
  pathKey,
  stemOf,
  withoutExtension
} from "./path.js"
export { plainInline, plainText } from "./plain-text.js"
export {
  type DocumentReference,
  draftHtml,
  fillHtml,
  type HtmlDraft,
  pathIn,
  plainBlocks
} from "./render-html.js"
export { settingsIn } from "./settings.js"
export { defaultContent, slugPath } from "./slug.js"
