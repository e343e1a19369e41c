/** Links of documents: finding them, where they lead, and their new spelling after a move. Pure. */
export * from "./link-resolver.js"
export { type DocumentLink, documentLinks } from "./links.js"
export {
  linkNames,
  type Moved,
  mayLinkTo,
  type Relinking,
  type Relocation,
  relinked,
  relinkingOf
} from "./rewrite-links.js"
