import iconv from "iconv-lite"

/**
 * The names of files in an archive, by how they are read as Latin-1. Names that are not marked as UTF-8 are in the code
 * page of whoever packed them: it is told by which one makes words of the names of the whole archive.
 */
export const zipNames = (bytes: Uint8Array): ReadonlyMap<string, string> => {
  const unmarked = unmarkedNames(bytes).filter((name) => /[\x80-\xff]/.test(name))
  if (unmarked.length === 0) return new Map()
  const raw = Buffer.from(unmarked.slice(0, sampleMax).join("\n"), "latin1")
  const [best = "cp437"] = codePages
    .map((page) => ({ page, score: scoreOf(decoded(raw, page), page) }))
    .sort((a, b) => b.score - a.score)
    .map(({ page }) => page)
  return new Map(unmarked.map((name) => [name, decoded(Buffer.from(name, "latin1"), best)]))
}

const sampleMax = 500
/** In the order in which they win where two are equally likely. */
const codePages = ["utf8", "cp437", "windows-1252", "shift_jis", "gbk", "cp866", "euc-kr"] as const

const decoded = (raw: Buffer, page: string): string => iconv.decode(raw, page)

/** How much a decoded text looks like words: letters count for it, signs and scripts within one word against it. */
const scoreOf = (text: string, page: string): number => {
  if (text.includes("\ufffd")) return Number.NEGATIVE_INFINITY
  if (page === "utf8") return Number.POSITIVE_INFINITY
  let score = 0
  for (const sign of text.match(/[^\x00-\x7f]/gu) ?? [])
    score += /[\u3040-\u30ff]/u.test(sign)
      ? 3
      : commonHan(sign, page)
        ? 2
        : /\p{L}/u.test(sign)
          ? 1
          : /[\u2013-\u201e]/u.test(sign)
            ? 0
            : -3
  // Characters that only few names hold.
  score -= 2 * (text.match(/[\u2500-\u259f\uff61-\uff9f\p{Sc}]/gu) ?? []).length
  score -=
    4 *
    (
      text.match(
        /[a-z](?:\p{Script=Han}|\p{Script=Hangul}|\p{Script=Greek}|\p{Script=Cyrillic})|(?:\p{Script=Han}|\p{Script=Hangul}|\p{Script=Greek}|\p{Script=Cyrillic})[a-z]/giu
      ) ?? []
    ).length
  score -= 2 * (text.match(/\p{L}[^\x00-\x7f\p{L}\p{M}]\p{L}/gu) ?? []).length
  score -= 2 * (text.match(/\p{Ll}\p{Lu}/gu) ?? []).length
  return score
}

/** Whether a character is among the common ones of its code page, which come first there. */
const commonHan = (sign: string, page: string): boolean => {
  if (!/\p{Script=Han}/u.test(sign)) return false
  const [lead = 0, trail = 0] = iconv.encode(sign, page)
  return page === "shift_jis"
    ? lead >= 0x88 && lead <= 0x97
    : page === "gbk" && lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1
}

/** The names in the central directory without the mark of UTF-8, as Latin-1. */
const unmarkedNames = (bytes: Uint8Array): ReadonlyArray<string> => {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = view.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0 || end + 20 > view.length) return []
  const names: Array<string> = []
  let at = view.readUInt32LE(end + 16)
  while (at + 46 <= view.length && view.readUInt32LE(at) === 0x02014b50) {
    const [flags, length] = [view.readUInt16LE(at + 8), view.readUInt16LE(at + 28)]
    if ((flags & 0x800) === 0) names.push(view.toString("latin1", at + 46, at + 46 + length))
    at += 46 + length + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32)
  }
  return names
}
