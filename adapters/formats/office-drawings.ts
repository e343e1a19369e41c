import type { Archive } from "./archive.js"
import { escapeMarkdown, markdownTable, plainCell } from "./table.js"
import { allOf, attributeOf, childOf, parseXml, textOf, type XmlElement } from "./xml.js"

/** Points of a chart that are written. */
const pointsMax = 1000

/** The diagrams and charts below a folder of an Office file, as Markdown by their paths. */
export const officeDrawings = (archive: Archive, folder: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const paths = Object.keys(archive.files).sort(byNumber)
  for (const path of paths) {
    const isDiagram = path.startsWith(`${folder}/diagrams/data`)
    if (!isDiagram && !/^charts\/chart[^/]*\.xml$/.test(path.slice(folder.length + 1))) continue
    const text = archive.text(path)
    if (text === undefined || !path.endsWith(".xml")) continue
    const root = parseXml(text)
    const markdown = isDiagram ? diagramMarkdown(root) : chartMarkdown(root)
    if (markdown !== "") found.set(path, markdown)
  }
  return found
}

const byNumber = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true })

/** The texts of a diagram as a list. */
const diagramMarkdown = (root: XmlElement): string =>
  allOf(root, "dgm:pt")
    .flatMap((point) => {
      const text = allOf(point, "a:t")
        .map((part) => part.textContent ?? "")
        .join("")
        .trim()
      return text === "" ? [] : [`- ${escapeMarkdown(text)}`]
    })
    .join("\n")

/** The figures that a chart keeps, as a table: categories down, series across. */
const chartMarkdown = (root: XmlElement): string => {
  const title = allOf(root, "c:title")[0]
  const heading = (title === undefined ? [] : allOf(title, "a:t"))
    .map((part) => part.textContent ?? "")
    .join("")
    .trim()
  const series = allOf(root, "c:ser").map((one) => ({
    name: textOf(childOf(one, "c:tx"), "c:v") ?? "",
    categories: pointsOf(childOf(one, "c:cat") ?? childOf(one, "c:xVal")),
    values: pointsOf(childOf(one, "c:val") ?? childOf(one, "c:yVal"))
  }))
  const length = Math.min(pointsMax, Math.max(0, ...series.map(({ values }) => values.length)))
  if (length === 0) return heading === "" ? "" : escapeMarkdown(heading)
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? []
  const rows = [
    ["", ...series.map(({ name }, at) => (name === "" ? `Series ${at + 1}` : name))],
    ...Array.from({ length }, (_, at) => [
      categories[at] ?? String(at + 1),
      ...series.map(({ values }) => values[at] ?? "")
    ])
  ]
  const table = markdownTable(rows.map((row) => row.map(plainCell)))
  return heading === "" ? table : `${escapeMarkdown(heading)}\n\n${table}`
}

const pointsOf = (element: XmlElement | undefined): ReadonlyArray<string> => {
  const points: Array<string> = []
  for (const point of element === undefined ? [] : allOf(element, "c:pt")) {
    const at = Number(attributeOf(point, "idx") ?? points.length)
    if (at >= 0 && at < pointsMax) points[at] = textOf(point, "c:v") ?? ""
  }
  return Array.from(points, (text) => text ?? "")
}
