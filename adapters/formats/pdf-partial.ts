/** Pages whose text layer lacks what they show: pictures with a header or footer of text, and text that is drawn as shapes. */
import type { ParsedPage } from "@llamaindex/liteparse"

type Page = Pick<ParsedPage, "complexity" | "height" | "textItems" | "vectorGraphics">

/** The head and the foot of a page, as a share of its height. */
const margin = 0.12
/** Least shapes that are letters, and how many of them stand on one line. */
const [lettersMin, lineMin] = [60, 6]
/** Least and greatest side of a shape that is a letter, in points. */
const [sideMin, sideMax] = [1.5, 30]

/** Whether a page shows more than its text layer says. */
export const lacksText = (page: Page): boolean => isPictureInMargins(page) || hasDrawnLetters(page)

/** Whether a picture covers most of a page, and all of its text stands at the head or foot. */
const isPictureInMargins = ({ complexity, height, textItems }: Page): boolean =>
  complexity !== undefined &&
  (complexity.fullPageImage || complexity.largestImageCoverage > 0.5) &&
  textItems.every((item) => item.y + item.height < margin * height || item.y > (1 - margin) * height)

/** Whether more letters of a page are drawn as shapes than its text has: small curved shapes that stand on common lines. */
export const hasDrawnLetters = ({ textItems, vectorGraphics }: Page): boolean => {
  const lines = new Map<number, number>()
  for (const { bbox, fill, hasCurve } of vectorGraphics?.shapes ?? []) {
    const isLetter =
      fill &&
      hasCurve &&
      bbox.height > sideMin &&
      bbox.height < sideMax &&
      bbox.width > 0.5 &&
      bbox.width < 4 * sideMax
    if (!isLetter) continue
    const line = Math.round(bbox.y + bbox.height)
    lines.set(line, (lines.get(line) ?? 0) + 1)
  }
  const letters = [...lines.values()].reduce((sum, count) => sum + (count < lineMin ? 0 : count), 0)
  const held = textItems.reduce((sum, { text }) => sum + text.replace(/\s/g, "").length, 0)
  return letters >= lettersMin && letters > held
}
