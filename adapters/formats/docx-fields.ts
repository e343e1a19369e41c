/** Fields of Word as they are shown: their results, and what is chosen in lists; not the instructions that make them. */

const fieldParts =
  /<w:fldChar\b[^>]*\bw:fldCharType=["'](begin|separate|end)["'][^>]*>|<w:t(?:\s[^>]*)?>[^<]*<\/w:t>/g

/**
 * A part of a document without the text of fields in the instructions of others, as in `{ IF { MERGEFIELD sum } > 9 … }`,
 * and with the entries that are chosen in lists.
 */
export const withFieldResults = (xml: string): string => {
  if (!xml.includes("w:fldChar")) return xml
  // Whether each open field is still within its instruction, the outermost first.
  const open: Array<boolean> = []
  return withChosenEntries(xml).replace(fieldParts, (found, kind?: string) => {
    if (kind === undefined) return open.includes(true) ? "" : found
    if (kind === "begin") open.push(true)
    else if (kind === "separate" && open.length > 0) open[open.length - 1] = false
    else if (kind === "end") open.pop()
    return found
  })
}

/** Lists of forms that have no result but the number of an entry. */
const withChosenEntries = (xml: string): string =>
  xml.replace(
    /<w:fldChar\b[^>]*>\s*<w:ffData>(?:(?!<\/w:ffData>)[\s\S])*?<w:ddList>((?:(?!<\/w:ddList>)[\s\S])*)<\/w:ddList>/g,
    (found, list: string) => {
      const entries = Array.from(list.matchAll(/<w:listEntry\b[^>]*\bw:val="([^"]*)"/g), ([, entry]) => entry)
      const numberOf = (name: string) => new RegExp(`<w:${name}\\b[^>]*\\bw:val="(\\d+)"`).exec(list)?.[1]
      const chosen = entries[Number(numberOf("result") ?? numberOf("default") ?? 0)] ?? ""
      return chosen === "" ? found : `<w:t xml:space="preserve">${chosen}</w:t>${found}`
    }
  )
