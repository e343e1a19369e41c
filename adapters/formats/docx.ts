import { strToU8, zipSync } from "fflate"
import mammoth from "mammoth"
import type { ConvertedFile, ConvertibleFile } from "../../core/files/documents/index.js"
import { type Archive, openArchive } from "./archive.js"
import { broken, type Conversion } from "./converted.js"
import { embeddedDocuments } from "./docx-chunks.js"
import { withFieldResults } from "./docx-fields.js"
import { withItemValues, withListNumbers } from "./docx-lists.js"
import { formulaText } from "./formulas.js"
import { convertFragment } from "./html.js"
import { dataTable } from "./html-tables.js"
import { officeDrawings } from "./office-drawings.js"
import { officeProperties } from "./office-properties.js"
import { wordText } from "./office-text.js"
import { allOf, attributeOf, childOf, escapeHtml, parseXml, requireWellFormed, xmlFormula } from "./xml.js"

/** Styles that Word, LibreOffice and pandoc give to what mammoth knows no element for. */
const styleMap = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Quote'] => blockquote > p:fresh",
  "p[style-name='Intense Quote'] => blockquote > p:fresh",
  "p[style-name='Block Text'] => blockquote > p:fresh",
  "p[style-name='Quotations'] => blockquote > p:fresh",
  "p[style-name='Source Code'] => pre:separator('\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\n')",
  "p[style-name='Preformatted Text'] => pre:separator('\n')",
  "p[style-name='Code'] => pre:separator('\n')",
  "r[style-name='Verbatim Char'] => code",
  "r[style-name='HTML Code'] => code",
  "r[style-name='Source Text'] => code"
]

/** Converts a Word document: headings, lists, tables, links, notes; no comments, deleted or hidden text. */
export const convertDocx = async (
  { bytes }: ConvertibleFile,
  convert: (file: ConvertibleFile) => Promise<ConvertedFile>
): Promise<Conversion> => {
  const archive = openArchive(
    bytes,
    (name) =>
      /\.(?:xml|rels)$/i.test(name) || /^(?:word\/)?[^/]+\.(?:x?html?|txt|docx|mht|rtf|dat|bin)$/i.test(name)
  )
  if (archive.text("[Content_Types].xml") === undefined) throw broken("The file is no Word document.")
  const embedded = await embeddedDocuments(archive, convert)
  const marks = markingStyles(archive)
  requireWellFormed(archive.text(documentPart) ?? "<w:document/>")
  const files = Object.fromEntries(
    Object.entries(archive.files).flatMap(([name, file]) => {
      if (!/\.(?:xml|rels)$/i.test(name)) return []
      if (!/^word\/[^/]+\.xml$/.test(name)) return [[name, file]]
      // Mammoth shows text that Word hides.
      const text = withStyledRuns(
        withPlainParts(withoutHidden(withFieldResults(archive.text(name) ?? ""))),
        marks
      )
      return [[name, strToU8(name === documentPart ? withChunkMarks(withListNumbers(text, archive)) : text)]]
    })
  )
  // Packed anew, so that what mammoth unpacks has been judged.
  const buffer = Buffer.from(zipSync(files, { level: 0 }))
  let images = 0
  const { value } = await mammoth
    .convertToHtml(
      { buffer },
      {
        styleMap,
        externalFileAccess: false,
        convertImage: mammoth.images.imgElement(async () => {
          images += 1
          return { src: "" }
        })
      }
    )
    .catch((error: unknown) => {
      throw broken(`The document cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    })
  const drawings = [...officeDrawings(archive, "word").values()]
  return {
    ...officeProperties(archive),
    markdown: [
      withChunks(convertFragment(withDataTables(withItemValues(notesAtEnd(value)))), embedded),
      ...drawings
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
    plain: wordText(archive),
    warnings: warningsOf(drawings.length, [...embedded.values()].filter((text) => text === null).length),
    imagesSkipped: Math.max(images, archive.images)
  }
}

/** Properties of character styles that change what text says, as they stand in the runs that have them. */
const markingStyles = (archive: Archive): ReadonlyMap<string, string> => {
  const text = archive.text("word/styles.xml")
  const found = new Map<string, string>()
  for (const style of text === undefined ? [] : allOf(parseXml(text), "w:style")) {
    if (attributeOf(style, "w:type") !== "character") continue
    const properties = childOf(style, "w:rPr")
    const script = attributeOf(childOf(properties, "w:vertAlign"), "w:val")
    const isStruck = ["w:strike", "w:dstrike"].some((name) => {
      const struck = childOf(properties, name)
      return struck !== undefined && !/^(?:0|false|off)$/.test(attributeOf(struck, "w:val") ?? "")
    })
    const marks =
      (script === "superscript" || script === "subscript" ? `<w:vertAlign w:val="${script}"/>` : "") +
      (isStruck ? "<w:strike/>" : "")
    const id = attributeOf(style, "w:styleId") ?? ""
    const based = attributeOf(childOf(style, "w:basedOn"), "w:val") ?? ""
    if (marks !== "" || found.has(based)) found.set(id, marks || (found.get(based) ?? ""))
  }
  return found
}

/** Runs with the properties of their styles, and one kind of strike: mammoth reads neither styles nor double strikes. */
const withStyledRuns = (xml: string, marks: ReadonlyMap<string, string>): string => {
  const plain = xml.replace(/<w:dstrike\b/g, "<w:strike")
  if (marks.size === 0) return plain
  return plain.replace(/<w:rPr>(?:(?!<\/w:rPr>)[\s\S])*<\/w:rPr>/g, (properties) => {
    const id = /<w:rStyle w:val="([^"]*)"/.exec(properties)?.[1] ?? ""
    const more = Array.from((marks.get(id) ?? "").matchAll(/<(w:\w+)[^>]*>/g), ([mark, name]) =>
      new RegExp(`<${name}\\b`).test(properties) ? "" : mark
    ).join("")
    return more === "" ? properties : properties.replace("</w:rPr>", `${more}</w:rPr>`)
  })
}

const documentPart = "word/document.xml"

/** Marks where documents are embedded, with the ids of their relationships between two signs of no script. */
const withChunkMarks = (xml: string): string =>
  xml.replace(
    /<w:altChunk\b[^>]*?\br:id="([^"]+)"[^>]*?(?:\/>|>[\s\S]*?<\/w:altChunk>)/g,
    "<w:p><w:r><w:t>\ue002$1\ue003</w:t></w:r></w:p>"
  )

const withChunks = (markdown: string, embedded: ReadonlyMap<string, string | null>): string =>
  markdown
    .replace(/\ue002([^\ue003]*)\ue003/g, (_, id: string) => embedded.get(id.replaceAll("\\", "")) ?? "")
    .trim()

/** Says of tables that hold tables that they are no layout. */
const withDataTables = (html: string): string => html.replaceAll("<table>", `<table ${dataTable}="">`)

/** Without the text of runs that are hidden: their property `w:vanish`. */
const withoutHidden = (xml: string): string =>
  xml.includes("w:vanish")
    ? xml.replace(/<w:r(?:\s[^>]*)?>(?:(?!<\/w:r>)[\s\S])*?<\/w:r>/g, (run) =>
        /<w:vanish(?:\s*\/>|\s+w:val="(?:1|true|on)"\s*\/>|><\/w:vanish>)/.test(run) &&
        !/<w:txbxContent/.test(run)
          ? ""
          : run
      )
    : xml

const warningsOf = (drawings: number, embedded: number) => {
  return [
    ...(drawings === 0
      ? []
      : [
          {
            code: "drawings_moved",
            message: `Diagrams and charts stand at the end of the text: ${drawings}.`
          }
        ]),
    ...(embedded === 0
      ? []
      : [{ code: "parts_skipped", message: `Embedded documents were left out: ${embedded}.` }])
  ]
}

/** A run of a text with its reading above it. */
const rubyPattern =
  /<w:r(?:\s[^>]*)?>(?:(?!<w:ruby\b|<\/w:r>)[\s\S])*<w:ruby\b(?:(?!<w:rt>)[\s\S])*<w:rt>((?:(?!<\/w:rt>)[\s\S])*)<\/w:rt>\s*<w:rubyBase>((?:(?!<\/w:rubyBase>)[\s\S])*)<\/w:rubyBase>\s*<\/w:ruby>\s*<\/w:r>/g

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`

/** Formulas as text and fields as their results, which mammoth leaves out. */
const withPlainParts = (xml: string): string =>
  xml
    .replace(/<\/?w:(?:fldSimple|dir|bdo)\b[^>]*>/g, "")
    .replace(/<w:ptab\b[^>]*>/g, "<w:tab/>")
    .replace(/<w:cr\b[^>]*>/g, "<w:br/>")
    .replace(rubyPattern, (_, reading: string, base: string) => `${base}${run(" (")}${reading}${run(")")}`)
    .replace(/<m:oMath(?=[\s>])[^>]*>((?:(?!<\/m:oMath>)[\s\S])*)<\/m:oMath>/g, (_, formula: string) => {
      const root = parseXml(`<m:oMath xmlns:m="m" xmlns:w="w">${formula}</m:oMath>`)
      return `<w:r><w:t xml:space="preserve">${escapeHtml(formulaText(xmlFormula(root)))}</w:t></w:r>`
    })
    .replace(/<\/?m:oMathPara\b[^>]*>|<m:oMathParaPr>[\s\S]*?<\/m:oMathParaPr>/g, "")

/** Marks of notes as `[1]`, without the links that lead between mark and note. */
const notesAtEnd = (html: string): string =>
  html
    .replace(/<sup><a href="#(?:foot|end)note-[^"]*" id="[^"]*">(\[\d+\])<\/a><\/sup>/g, " $1")
    .replace(/<a href="#(?:foot|end)note-ref-[^"]*">↑<\/a>/g, "")
