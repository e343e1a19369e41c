/** The plain text of Office files and OpenDocument texts: their text runs, one after the other. */
import type { Archive } from "./archive.js"
import { withFieldResults } from "./docx-fields.js"
import { type PlainRules, plainXml } from "./plain-text.js"

const never = /^$/

/** Parts of formulas whose numbers do not run together. */
const formulaParts = "m:(?:e|sup|sub|num|den|lim|deg|fName|mr|oMath)"

const isOff = (tag: string): boolean => /\bw:val=["'](?:0|false|off)["']/.test(tag)

const valueOf = (tag: string): string => /\bw:val=["']([^"']*)["']/.exec(tag)?.[1] ?? ""

/** The text of a Word document and of its notes, without what is deleted or hidden. */
export const wordText = (archive: Archive): string => {
  const styles = archive.text("word/styles.xml") ?? ""
  const scripts = new Map(
    Array.from(
      styles.matchAll(/<w:style\b[^>]*\bw:styleId="([^"]*)"(?:(?!<\/w:style>)[\s\S])*<\/w:style>/g),
      ([style, id = ""]) => [id, valueOf(/<w:vertAlign\b[^>]*>/.exec(style)?.[0] ?? "")]
    )
  )
  const rules: PlainRules = {
    texts: /^[wm]:t$/,
    lines: /^w:(?:p|br|cr|tc)$/,
    blanks: /^w:p?tab$/,
    skipped: /^(?:w:moveFrom|mc:Fallback)$/,
    apart: new RegExp(
      `^(?:w:(?:footnoteReference|endnoteReference|hyperlink|noBreakHyphen|sym|ruby|rt|txbxContent)|${formulaParts})$`
    ),
    about: (name, tag) => {
      // Rows that were deleted, and cells below merged ones, are not shown.
      const isGone = name === "w:del" || (name === "w:vMerge" && valueOf(tag) !== "restart")
      if (isGone) return { above: 2, is: "hidden" }
      if (name === "w:vanish" && !isOff(tag)) return { above: 2, is: "hidden" }
      const script =
        name === "w:vertAlign" ? valueOf(tag) : name === "w:rStyle" ? scripts.get(valueOf(tag)) : undefined
      if (script === "superscript") return { above: 2, is: "raised" }
      return script === "subscript" ? { above: 2, is: "lowered" } : null
    }
  }
  return ["document", "footnotes", "endnotes"]
    .map((part) => plainXml(withFieldResults(archive.text(`word/${part}.xml`) ?? ""), rules))
    .join("\n")
}

/** The text of a slide or of its notes, without hidden shapes, dates and footers. */
export const slideText = (xml: string): string => plainXml(xml, slideRules)

const slideRules: PlainRules = {
  texts: /^[am]:t$/,
  lines: /^a:(?:p|br)$/,
  blanks: never,
  skipped: /^mc:Fallback$/,
  apart: new RegExp(`^${formulaParts}$`),
  about: (name, tag) => {
    if (name === "a:tc" && /\b[hv]Merge="(?:1|true)"/.test(tag)) return { above: 0, is: "hidden" }
    if (name === "p:cNvPr" && /\bhidden="(?:1|true)"/.test(tag)) return { above: 2, is: "hidden" }
    if (name === "p:ph" && /\btype="(?:dt|ftr|hdr|sldNum|sldImg)"/.test(tag))
      return { above: 3, is: "hidden" }
    if (name === "a:hlinkClick") return { above: 2, is: "apart" }
    const baseline = name === "a:rPr" ? /\bbaseline="(-?)[1-9]/.exec(tag)?.[1] : undefined
    if (baseline === undefined) return null
    return { above: 1, is: baseline === "-" ? "lowered" : "raised" }
  }
}

/** The text of an OpenDocument text, without comments, deleted and hidden text. */
export const openDocumentText = (content: string, styles: string): string => {
  const [raising, lowering, hiding] = [
    /style:text-position="(?:super|0*[1-9])/,
    /style:text-position="(?:sub|-)/,
    /text:display="(?:none|true)"/
  ].map((pattern) => {
    const found = (content + styles).matchAll(
      /<style:style\b[^>]*\bstyle:name="([^"]*)"(?:(?!<\/style:style>)[\s\S])*?<\/style:style>/g
    )
    return new Set(Array.from(found).flatMap(([style, name]) => (pattern.test(style) ? [name] : [])))
  })
  return plainXml(/<office:text\b[\s\S]*<\/office:text>/.exec(content)?.[0] ?? "", {
    lines: /^(?:text:(?:p|h|line-break)|table:table-cell)$/,
    blanks: /^text:(?:s|tab)$/,
    skipped:
      /^(?:office:(?:annotation|forms|binary-data)|text:(?:tracked-changes|sequence-decls|table-of-content|note-citation|number|hidden-text|hidden-paragraph|variable-decls|user-field-decls)|svg:(?:title|desc)|table:(?:title|desc|covered-table-cell)|draw:object)$/,
    apart: /^(?:text:(?:note|a|ruby-text)|draw:text-box)$/,
    about: (name, tag) => {
      const style = /\btext:style-name="([^"]*)"/.exec(tag)?.[1]
      if (/\btext:display="none"/.test(tag)) return { above: 0, is: "hidden" }
      if (style === undefined || !/^text:(?:span|p|h)$/.test(name)) return null
      if (hiding?.has(style) === true) return { above: 0, is: "hidden" }
      if (raising?.has(style) === true) return { above: 0, is: "raised" }
      return lowering?.has(style) === true ? { above: 0, is: "lowered" } : null
    }
  })
}
