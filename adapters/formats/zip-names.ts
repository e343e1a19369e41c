import iconv from "iconv-lite"

/**
 * The names of files in an archive, by how they are read as Latin-1. Names that are not marked as UTF-8 are in the code
 * page of whoever packed them: it is told by which one makes words of the names of the whole archive.
 */
export const zipNames = (bytes: Uint8Array): ReadonlyMap<string, string> => {
  const unmarked = unmarkedNames(bytes).filter((name) => /[\x80-\xff]/.test(name))
  if (unmarked.length === 0) return new Map()
  const raw = Buffer.from(unmarked.slice(0, sampleMax).join("\n"), "latin1")
  const best = likelyCodePage(raw, ["utf8", "cp437", "windows-1252", "shift_jis", "gbk", "cp866", "euc-kr"])
  return new Map(unmarked.map((name) => [name, decoded(Buffer.from(name, "latin1"), best)]))
}

const sampleMax = 500

/** The code page in which bytes look most like words: the first of those that are equally likely. */
export const likelyCodePage = (raw: Buffer, pages: ReadonlyArray<string>): string =>
  pages
    .map((page) => ({ page, score: scoreOf(decoded(raw, page), page) }))
    .sort((a, b) => b.score - a.score)[0]?.page ?? "utf8"

const decoded = (raw: Buffer, page: string): string => iconv.decode(raw, page)

/** How much a decoded text looks like words: letters count for it, signs and scripts within one word against it. */
const scoreOf = (text: string, page: string): number => {
  if (text.includes("\ufffd")) return Number.NEGATIVE_INFINITY
  if (page === "utf8") return Number.POSITIVE_INFINITY
  let score = 0
  for (const sign of text.match(/[^\x00-\x7f]/gu) ?? [])
    score +=
      commonHangul.has(sign) || /[\u3040-\u30ff]/u.test(sign)
        ? 3
        : commonHan(sign, page)
          ? 2
          : /\p{L}/u.test(sign)
            ? 1
            : /[\u2013-\u201e]/u.test(sign)
              ? 0
              : -3
  // Read in the wrong one of two Cyrillic code pages, small letters become capitals.
  score += 0.1 * (text.match(/\p{Script=Cyrillic}/gu) ?? []).filter((sign) => /\p{Ll}/u.test(sign)).length
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

/** The syllables that most Korean words have: bytes of Korean are Chinese characters in another code page. */
const commonHangul = new Set(
  "이다의는에을가고로하지사한도인대전기시자를은리어서정해과나으성일수보여그제있것게만들장원부공학상아주조국구산동경관회연계안업용비유명문년월서식신교금내두라무미방번법본생소실세스안약양오와외요우위음입적절점중재저종직진집차참체최출치통트파판평표품필합항행현형호화확환황회획결감개강건검격견공관광군급남날내녹단달당더도독등때론류립마매면모목물민발배별복북분불사새색석선설순술습승심열영예온완운육의임작잔잡증찬책처천청초총추축층침카타특팀포폭피하학함해허험협혜혼후휴"
)

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
