import type { ConvertibleFile } from "../../core/files/documents/index.js"
import { type Archive, openArchive } from "./archive.js"
import { broken, type Conversion } from "./converted.js"
import { formulaText } from "./formulas.js"
import { type Counting, countText } from "./list-labels.js"
import { officeDrawings } from "./office-drawings.js"
import { officeProperties } from "./office-properties.js"
import { slideText } from "./office-text.js"
import { escapeMarkdown, markdownCell, markdownTable } from "./table.js"
import { hasHeadings } from "./table-headings.js"
import { type MarkedRun, markedLine } from "./text-marks.js"
import { allOf, attributeOf, childOf, elementsOf, parseXml, type XmlElement, xmlFormula } from "./xml.js"

/** Converts a presentation: a section for each slide that is not hidden, with its tables and notes. */
export const convertPptx = ({ bytes }: ConvertibleFile): Conversion => {
  const archive = openArchive(
    bytes,
    (name) =>
      /^(?:ppt|docProps)\/.*\.(?:xml|rels)$/i.test(name) &&
      !/^ppt\/(?:theme|slideMaster|slideLayout)/i.test(name)
  )
  const sections: Array<string> = []
  const titles: Array<string> = []
  const plain: Array<string> = []
  const drawings = officeDrawings(archive, "ppt")
  for (const [at, path] of slidePaths(archive).entries()) {
    const text = archive.text(path)
    if (text === undefined) throw broken(`Slide ${at + 1} is missing.`)
    const slide = parseXml(text)
    if (attributeOf(slide, "show") === "0") continue
    const { markdown, title } = slideMarkdown(archive, path, slide, at + 1)
    sections.push(markdown)
    plain.push(slideText(text), ...notesTexts(archive, path))
    if (title !== "") titles.push(title)
    for (const relation of relations(archive, path).values()) {
      const drawing = drawings.get(relation.path)
      if (drawing !== undefined) sections.push(drawing)
    }
  }
  const properties = officeProperties(archive)
  const title = ("title" in properties ? properties.title : null) ?? null
  return {
    ...properties,
    title: title === null || programTitles.test(title.trim()) ? (titles[0] ?? null) : title,
    markdown: sections.join("\n\n"),
    plain: plain.join("\n"),
    imagesSkipped: archive.images
  }
}

const notesTexts = (archive: Archive, path: string): ReadonlyArray<string> =>
  [...relations(archive, path).values()]
    .filter(({ type }) => type === "notesSlide")
    .slice(0, 1)
    .map((notes) => slideText(archive.text(notes.path) ?? ""))

/** Titles that programs give to every presentation. */
const programTitles =
  /^(?:|pptxgenjs presentation|powerpoint presentation|powerpoint-präsentation|présentation powerpoint|presentación de powerpoint|presentazione standard di powerpoint|powerpoint-presentatie|presentation\d*|slide 1)$/i

/** The files of the slides in the order in which they are shown. */
const slidePaths = (archive: Archive): ReadonlyArray<string> => {
  const presentation = archive.text("ppt/presentation.xml")
  if (presentation === undefined) throw broken("The file holds no presentation.")
  const targets = relations(archive, "ppt/presentation.xml")
  return allOf(parseXml(presentation), "p:sldId").flatMap((slide) => {
    const target = targets.get(attributeOf(slide, "r:id") ?? "")
    return target === undefined ? [] : [target.path]
  })
}

interface Relation {
  readonly type: string
  /** The path within the archive, or the address of an external link. */
  readonly path: string
}

const relations = (archive: Archive, path: string): ReadonlyMap<string, Relation> => {
  const folder = path.slice(0, path.lastIndexOf("/"))
  const text = archive.text(`${folder}/_rels/${path.slice(folder.length + 1)}.rels`)
  if (text === undefined) return new Map()
  return new Map(
    allOf(parseXml(text), "Relationship").map((relation) => {
      const target = attributeOf(relation, "Target") ?? ""
      const isExternal = attributeOf(relation, "TargetMode") === "External"
      const type = (attributeOf(relation, "Type") ?? "").replace(/^.*\//, "")
      return [
        attributeOf(relation, "Id") ?? "",
        { type, path: isExternal ? target : resolved(folder, target) }
      ]
    })
  )
}

const resolved = (folder: string, target: string): string => {
  if (target.startsWith("/")) return target.slice(1)
  const parts = folder.split("/")
  for (const part of target.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}

const slideMarkdown = (archive: Archive, path: string, slide: XmlElement, number: number) => {
  const links = relations(archive, path)
  const shapes = shapesOf(slide)
  const titled = shapes.find((shape) => /^(?:title|ctrTitle)$/.test(placeholderOf(shape)))
  const title = titled === undefined ? "" : plainText(titled)
  const blocks = shapes
    .filter((shape) => shape !== titled && !/^(?:dt|ftr|sldNum)$/.test(placeholderOf(shape)))
    .map((shape) => shapeMarkdown(shape, links))
  const notesPath = [...links.values()].find(({ type }) => type === "notesSlide")?.path
  const notes = notesPath === undefined ? "" : notesOf(archive.text(notesPath), links)
  const heading = `## Slide ${number}${title === "" ? "" : `: ${title}`}`
  const markdown = [heading, ...blocks, ...(notes === "" ? [] : [`**Notes:** ${notes}`])]
    .filter((block) => block !== "")
    .join("\n\n")
  return { markdown, title: title.replace(/\\(?=[\\`<[\]*_])/g, "") }
}

/** Shapes with text and tables, those in groups too, without what is hidden. */
const shapesOf = (slide: XmlElement): ReadonlyArray<XmlElement> => {
  const found: Array<XmlElement> = []
  const visit = (element: XmlElement): void => {
    for (const child of elementsOf(element)) {
      if (/^p:(?:sp|graphicFrame)$/.test(child.nodeName)) {
        if (!isHidden(child)) found.push(child)
      } else if (child.nodeName === "mc:AlternateContent") {
        const choice = childOf(child, "mc:Choice") ?? childOf(child, "mc:Fallback")
        if (choice !== undefined) visit(choice)
      } else if (child.nodeName !== "p:grpSp" || !isHidden(child)) visit(child)
    }
  }
  visit(slide)
  return found
}

const isHidden = (shape: XmlElement): boolean => attributeOf(allOf(shape, "p:cNvPr")[0], "hidden") === "1"

const placeholderOf = (shape: XmlElement): string => {
  const placeholder = allOf(shape, "p:ph")[0]
  return placeholder === undefined ? "" : (attributeOf(placeholder, "type") ?? "body")
}

const shapeMarkdown = (shape: XmlElement, links: ReadonlyMap<string, Relation>): string => {
  if (shape.nodeName === "p:graphicFrame") {
    const table = allOf(shape, "a:tbl")[0]
    if (table !== undefined) return tableMarkdown(table)
    return allOf(shape, "a:p")
      .map((paragraph) => runs(paragraph, links))
      .filter((line) => line !== "")
      .join("\n\n")
  }
  const isList = /^(?:body|obj)$/.test(placeholderOf(shape))
  return paragraphs(shape, links, isList)
}

/** Paragraphs of a body are list items, as slides show them; in other shapes only those that have a bullet. */
const paragraphs = (shape: XmlElement, links: ReadonlyMap<string, Relation>, isList: boolean): string => {
  const body = childOf(shape, "p:txBody")
  if (body === undefined) return ""
  const lines: Array<{ readonly text: string; readonly item: boolean }> = []
  /** The numbers of the items at each level, and how far the texts of the items are indented. */
  const numbers: Array<number | undefined> = []
  const indents: Array<number> = []
  for (const paragraph of elementsOf(body).filter(({ nodeName }) => nodeName === "a:p")) {
    const text = runs(paragraph, links)
    if (text === "") continue
    const properties = childOf(paragraph, "a:pPr")
    const level = Math.min(8, Math.max(0, Number.parseInt(attributeOf(properties, "lvl") ?? "0", 10) || 0))
    const numbered = childOf(properties, "a:buAutoNum")
    const bulleted = childOf(properties, "a:buChar") !== undefined
    const item =
      bulleted || numbered !== undefined || (isList && childOf(properties, "a:buNone") === undefined)
    numbers.length = Math.min(numbers.length, level + 1)
    if (numbered === undefined) numbers[level] = undefined
    else {
      const start = Number.parseInt(attributeOf(numbered, "startAt") ?? "1", 10) || 1
      numbers[level] = (numbers[level] ?? start - 1) + 1
    }
    const marker =
      numbered === undefined ? "- " : numberMarker(numbers[level] ?? 1, attributeOf(numbered, "type") ?? "")
    const indent = indents.slice(0, level).reduce((sum, width) => sum + width, 0)
    indents.length = Math.min(indents.length, level)
    while (indents.length < level) indents.push(2)
    indents[level] = /^\d/.test(marker) ? marker.length : 2
    lines.push({ item, text: item ? `${" ".repeat(indent)}${marker}${text}` : text })
  }
  return lines
    .map(({ item, text }, at) =>
      at === 0 ? text : `${item && lines[at - 1]?.item === true ? "\n" : "\n\n"}${text}`
    )
    .join("")
}

/** `3. ` for `arabicPeriod`, `- c) ` for `alphaLcParenR`: Markdown numbers in digits alone. */
const numberMarker = (number: number, type: string): string => {
  const counting: Counting = type.startsWith("alphaLc")
    ? "a"
    : type.startsWith("alphaUc")
      ? "A"
      : type.startsWith("romanLc")
        ? "i"
        : type.startsWith("romanUc")
          ? "I"
          : "1"
  if (counting === "1") return `${number}. `
  const label = countText(number, counting)
  const shown = type.endsWith("ParenBoth")
    ? `(${label})`
    : type.endsWith("ParenR")
      ? `${label})`
      : `${label}.`
  return `- ${shown} `
}

const runs = (paragraph: XmlElement, links: ReadonlyMap<string, Relation>): string =>
  markedLine(runsOf(paragraph, links), ({ link, text }) => {
    const content = escapeMarkdown(text)
    return link?.type === "hyperlink" && content.trim() !== ""
      ? `[${content}](${link.path.replace(/[\s()]/g, encodeURIComponent)})`
      : content
  })
    .replace(/[\s\v]+/g, " ")
    .trim()
    .replace(/^(\d*)([#+>.)-])(?=\s|$)/, "$1\\$2")

interface Run extends MarkedRun {
  readonly link: Relation | undefined
}

const runsOf = (paragraph: XmlElement, links: ReadonlyMap<string, Relation>): ReadonlyArray<Run> =>
  elementsOf(paragraph).flatMap((run): ReadonlyArray<Run> => {
    if (run.nodeName === "a:br") return [{ text: " ", script: "plain", struck: false, link: undefined }]
    if (run.nodeName === "mc:AlternateContent") {
      const choice = childOf(run, "mc:Choice") ?? childOf(run, "mc:Fallback")
      return choice === undefined ? [] : runsOf(choice, links)
    }
    const formulas =
      run.nodeName === "m:oMath"
        ? [run]
        : /^(?:a14:m|m:oMathPara)$/.test(run.nodeName)
          ? allOf(run, "m:oMath")
          : []
    if (formulas.length > 0)
      return [
        {
          text: formulas.map((one) => formulaText(xmlFormula(one))).join("; "),
          script: "plain",
          struck: false,
          link: undefined
        }
      ]
    if (run.nodeName !== "a:r" && run.nodeName !== "a:fld") return []
    const properties = childOf(run, "a:rPr")
    const baseline = Number.parseInt(attributeOf(properties, "baseline") ?? "", 10)
    return [
      {
        text: childOf(run, "a:t")?.textContent ?? "",
        script: baseline > 0 ? "raised" : baseline < 0 ? "lowered" : "plain",
        struck: /^(?:sng|dbl)Strike$/.test(attributeOf(properties, "strike") ?? ""),
        link: links.get(attributeOf(childOf(properties, "a:hlinkClick"), "r:id") ?? "")
      }
    ]
  })

const plainText = (shape: XmlElement): string =>
  allOf(shape, "a:p")
    .map((paragraph) => runs(paragraph, new Map()))
    .filter((line) => line !== "")
    .join(" ")

/** Whether a cell lies below a merged one, which hides it. */
const isCovered = (cell: XmlElement): boolean =>
  ["hMerge", "vMerge"].some((name) => /^(?:1|true)$/.test(attributeOf(cell, name) ?? ""))

/** A table with the headings that its first row is marked as, or says. */
const tableMarkdown = (table: XmlElement): string => {
  const rows = allOf(table, "a:tr").map((row) =>
    elementsOf(row)
      .filter(({ nodeName }) => nodeName === "a:tc")
      .map((cell) =>
        isCovered(cell)
          ? ""
          : markdownCell(
              allOf(cell, "a:p")
                .map((paragraph) =>
                  markedLine(runsOf(paragraph, new Map()), ({ text }) => escapeMarkdown(text))
                )
                .join(" ")
            )
      )
  )
  const isMarked = /^(?:1|true)$/.test(attributeOf(childOf(table, "a:tblPr"), "firstRow") ?? "")
  return markdownTable(rows, isMarked || hasHeadings(rows))
}

const notesOf = (text: string | undefined, links: ReadonlyMap<string, Relation>): string => {
  if (text === undefined) return ""
  return shapesOf(parseXml(text))
    .filter((shape) => !/^(?:sldImg|hdr|ftr|dt|sldNum)$/.test(placeholderOf(shape)))
    .map((shape) => paragraphs(shape, links, false))
    .filter((block) => block !== "")
    .join("\n\n")
}
