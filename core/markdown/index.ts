/** Markdown as text: parsing, front matter, links, paths and the chunks of a document. Pure. */

export { withBodyFields } from "./body-fields.js"
export { type ChunkDraft, chunkDocument, frontMatterChunks, numbered } from "./chunk.js"
export { hideComments } from "./comments.js"
export { type FrontMatter, parseFrontMatter } from "./front-matter.js"
export * from "./link-resolver.js"
export { type DocumentLink, documentLinks, maxDocumentLinks } from "./links.js"
export { machineMade } from "./machine-made.js"
export {
  documentTitle,
  firstHeading,
  type ParsedMarkdown,
  parseMarkdown,
  type Span
} from "./parse-markdown.js"
export { splitContext } from "./passage-context.js"
export {
  convertibleMediaType,
  folderOf,
  isConvertible,
  isMarkdown,
  isOtherText,
  isVaultFile,
  judgeDiskPath,
  parseDocumentPath,
  parseVaultScope,
  pathKey,
  stemOf
} from "./path.js"
export { plainText } from "./plain-text.js"
export { linkNames, type Moved, mayLinkTo, type Relinking, relinked } from "./rewrite-links.js"
export { settingsIn } from "./settings.js"
export { defaultContent, slugPath } from "./slug.js"
