import type MarkdownIt from "markdown-it"
import footnote from "markdown-it-footnote"

type StateCore = Parameters<Parameters<MarkdownIt["core"]["ruler"]["push"]>[1]>[0]
type Token = ReturnType<MarkdownIt["parse"]>[number]

/** What the plugin notes of footnotes: those with a label, or the tokens of one that stands within its line. */
interface Footnote {
  readonly label?: string
  readonly content?: string
  readonly tokens?: Array<Token>
}

/** Lets a parser read footnotes. */
export const addFootnotes = (markdown: MarkdownIt): void => {
  if (!fitsPlugin(markdown)) return
  footnote(markdown)
  markdown.core.ruler.at("footnote_tail", moveFootnotes)
}

/** The plugin is typed against the CommonJS entry of the parser, which declares one more utility than this entry. */
const fitsPlugin = (markdown: MarkdownIt): markdown is MarkdownIt & Parameters<typeof footnote>[0] =>
  "isPunctCharCode" in markdown.utils

/**
 * Moves the texts of footnotes that are referred to behind the document, in the order of their marks. Stands in place of
 * the rule of the plugin, which copies all tokens for each footnote and sets links back that are not shown here.
 */
const moveFootnotes = (state: StateCore): void => {
  const { footnotes }: { readonly footnotes?: { readonly list?: ReadonlyArray<Footnote> } } = state.env
  if (footnotes === undefined) return
  const texts = new Map<string, Array<Token>>()
  const tokens: Array<Token> = []
  // A footnote may stand within another one; its text belongs to the inner one alone.
  const into = [tokens]
  for (const token of state.tokens) {
    if (token.type === "footnote_reference_open") {
      const text: Array<Token> = []
      texts.set(token.meta.label, text)
      into.push(text)
    } else if (token.type === "footnote_reference_close") into.pop()
    else into.at(-1)?.push(token)
  }
  state.tokens = tokens
  const { list } = footnotes
  if (list === undefined) return
  const mark = (type: string, nesting: 1 | -1, meta: unknown = null): void => {
    const token = new state.Token(type, "", nesting)
    token.meta = meta
    tokens.push(token)
  }
  mark("footnote_block_open", 1)
  for (const [id, { content = "", label, tokens: inline }] of list.entries()) {
    mark("footnote_open", 1, { id, label })
    if (inline === undefined) for (const token of texts.get(label ?? "") ?? []) tokens.push(token)
    else tokens.push(...paragraphOf(state, content, inline))
    mark("footnote_close", -1)
  }
  mark("footnote_block_close", -1)
}

const paragraphOf = (state: StateCore, content: string, children: Array<Token>): ReadonlyArray<Token> => {
  const [open, inline, close] = [
    new state.Token("paragraph_open", "p", 1),
    new state.Token("inline", "", 0),
    new state.Token("paragraph_close", "p", -1)
  ]
  open.block = true
  close.block = true
  inline.children = children
  inline.content = content
  return [open, inline, close]
}
