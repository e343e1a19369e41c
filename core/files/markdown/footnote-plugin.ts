import type MarkdownIt from "markdown-it"
import footnote from "markdown-it-footnote"

/** Lets a parser read footnotes. */
export const addFootnotes = (markdown: MarkdownIt): void => {
  if (fitsPlugin(markdown)) footnote(markdown)
}

/** The plugin is typed against the CommonJS entry of the parser, which declares one more utility than this entry. */
const fitsPlugin = (markdown: MarkdownIt): markdown is MarkdownIt & Parameters<typeof footnote>[0] =>
  "isPunctCharCode" in markdown.utils
