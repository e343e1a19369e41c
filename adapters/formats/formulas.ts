/** Formulas of documents as text on one line. */
import { normalForm } from "../../core/platform/kernel/index.js"

/** An element of a formula in MathML or in the form of Office, whose names have no prefix here. */
export interface FormulaNode {
  readonly name: string
  readonly text: string
  readonly children: ReadonlyArray<FormulaNode>
  readonly attribute: (name: string) => string | null
}

/** A formula on one line: `(a + b)/2`, `c^2`, `x_1`, `√(2)`, `∑_(k=1)^n a_k`, `|x|`, `ŷ`. */
export const formulaText = (node: FormulaNode): string => textOf(node).replace(/\s+/gu, " ").trim()

const textOf = (node: FormulaNode): string => {
  const parts = node.children.filter(({ name }) => !propertyNames.test(name))
  const at = (place: number): string => (parts[place] === undefined ? "" : formulaText(parts[place]))
  const named = (name: string): string => {
    const part = parts.find((one) => one.name === name)
    return part === undefined ? "" : formulaText(part)
  }
  switch (node.name) {
    case "mfrac":
      return isZero(node.attribute("linethickness")) ? `binom(${at(0)}, ${at(1)})` : fraction(at(0), at(1))
    case "f":
      return propertyOf(node, "type") === "noBar"
        ? `binom(${named("num")}, ${named("den")})`
        : fraction(named("num"), named("den"))
    case "msup":
      return scripted(at(0), "", at(1))
    case "sSup":
      return scripted(named("e"), "", named("sup"))
    case "msub":
      return scripted(at(0), at(1), "")
    case "sSub":
      return scripted(named("e"), named("sub"), "")
    case "msubsup":
      return scripted(at(0), at(1), at(2))
    case "sSubSup":
      return scripted(named("e"), named("sub"), named("sup"))
    case "sPre":
      return `${scripted("", named("sub"), named("sup"))} ${named("e")}`
    case "mmultiscripts":
      return multiscripts(parts)
    case "mover":
      return accented(at(0), at(1)) ?? scripted(at(0), "", at(1))
    case "munder":
      return accented(at(0), at(1), true) ?? scripted(at(0), at(1), "")
    case "munderover":
      return scripted(at(0), at(1), at(2))
    case "limLow":
      return scripted(named("e"), named("lim"), "")
    case "limUpp":
      return scripted(named("e"), "", named("lim"))
    case "nary":
      return `${scripted(propertyOf(node, "chr") ?? "∫", named("sub"), named("sup"))} ${named("e")}`
    case "acc":
      return accented(named("e"), propertyOf(node, "chr") ?? "\u0302") ?? named("e")
    case "bar":
      return propertyOf(node, "pos") === "top"
        ? (accented(named("e"), "\u0305") ?? "")
        : (accented(named("e"), "\u0332", true) ?? "")
    case "func":
      return `${named("fName")} ${named("e")}`
    case "msqrt":
      return `√(${joined(parts)})`
    case "mroot":
      return `root(${at(1)}, ${at(0)})`
    case "rad": {
      const degree = named("deg")
      return degree === "" ? `√(${named("e")})` : `root(${degree}, ${named("e")})`
    }
    case "d": {
      const inner = parts.map(onlyPart)
      const separator = propertyOf(node, "sepChr") ?? "|"
      return fenced(
        propertyOf(node, "begChr") ?? "(",
        inner.map((part) => (isArray(part) ? rowsOf(part) : formulaText(part))).join(` ${separator} `),
        propertyOf(node, "endChr") ?? ")"
      )
    }
    case "mfenced": {
      const separators = [...(node.attribute("separators") ?? ",").replace(/\s/g, "")]
      const text = parts
        .map((part, place) => {
          const only = onlyPart(part)
          const shown = isArray(only) ? rowsOf(only) : formulaText(part)
          return place === 0 ? shown : `${separators[Math.min(place, separators.length) - 1] ?? ""} ${shown}`
        })
        .join("")
      return fenced(node.attribute("open") ?? "(", text, node.attribute("close") ?? ")")
    }
    case "mtr":
    case "mlabeledtr":
    case "mr":
      return `${parts.map(formulaText).join(", ")}; `
    case "mtable":
    case "m":
      return `[${rowsOf(node)}]`
    case "eqArr":
      return rowsOf(node)
    case "semantics":
      return at(0)
    case "annotation":
    case "annotation-xml":
    case "mphantom":
      return ""
    case "mspace":
      return " "
    case "t":
    case "mtext":
      return node.text.replace(/\s+/gu, " ")
    default:
      return parts.length === 0
        ? node.text
            .replace(/[\u2061-\u2064\u200b]/g, "")
            .replace(/\s+/gu, " ")
            .trim()
        : joined(parts)
  }
}

/** Elements that only describe the appearance of a part. */
const propertyNames = /^(?:\w+Pr|ctrlPr)$/

/** A value of the properties of a part of an Office formula; null where the file leaves it to the default. */
const propertyOf = (node: FormulaNode, name: string): string | null => {
  const properties = node.children.find((one) => one.name === `${node.name}Pr`)
  const found = properties?.children.find((one) => one.name === name)
  return found === undefined ? null : (found.attribute("val") ?? "")
}

const isZero = (length: string | null): boolean => length !== null && /^0(?:\.0*)?\D*$/.test(length.trim())

const fraction = (above: string, below: string): string => `${grouped(above)}/${grouped(below)}`

const scripted = (base: string, below: string, above: string): string =>
  `${grouped(base)}${below === "" ? "" : `_${grouped(below)}`}${above === "" ? "" : `^${grouped(above)}`}`

const multiscripts = ([base, ...parts]: ReadonlyArray<FormulaNode>): string => {
  const before = parts.findIndex(({ name }) => name === "mprescripts")
  const pairs = (list: ReadonlyArray<FormulaNode>): ReadonlyArray<readonly [string, string]> =>
    list.flatMap((part, at) => {
      const next = list[at + 1]
      return at % 2 === 0 ? [[formulaText(part), next === undefined ? "" : formulaText(next)] as const] : []
    })
  const after = pairs(before === -1 ? parts : parts.slice(0, before))
  const first = pairs(before === -1 ? [] : parts.slice(before + 1))
  const scripts = (list: ReadonlyArray<readonly [string, string]>, text: string): string =>
    list.reduce((found, [sub, sup]) => scripted(found, sub, sup), text)
  const prefix = scripts(first, "")
  return `${prefix === "" ? "" : `${prefix} `}${scripts(after, base === undefined ? "" : formulaText(base))}`
}

/** Signs above or below a part: as a combining sign for one letter, by name for longer parts. */
const accents: ReadonlyArray<readonly [signs: string, combining: string, name: string]> = [
  ["^ˆ\u0302", "\u0302", "hat"],
  ["~˜∼\u0303", "\u0303", "tilde"],
  ["˙.\u0307", "\u0307", "dot"],
  ["¨\u0308", "\u0308", "ddot"],
  ["→⃗\u20d7\u20d1⇀", "\u20d7", "vec"],
  ["¯‾―_─\u0304\u0305ˉ", "\u0304", "bar"],
  ["ˇ\u030c", "\u030c", "check"],
  ["˘\u0306", "\u0306", "breve"],
  ["´\u0301", "\u0301", "acute"],
  ["`\u0300", "\u0300", "grave"]
]
const underlines = "_¯‾―─\u0332\u0331"

/** A part with the sign above or below it; null where that is no accent. */
const accented = (base: string, sign: string, isBelow = false): string | null => {
  if (isBelow) return underlines.includes(sign) && sign !== "" ? marked(base, "\u0332", "underline") : null
  if (["⏞", "⏟", "︷", "︸", "\u0332"].includes(sign)) return base
  const found = [...sign].length === 1 ? accents.find(([signs]) => signs.includes(sign)) : undefined
  return found === undefined ? null : marked(base, found[1], found[2])
}

const marked = (base: string, combining: string, name: string): string =>
  [...base].length === 1 ? normalForm(base + combining, "NFC") : `${name}(${base})`

/** The only part of parts that only group; a matrix within brackets needs none of its own. */
const onlyPart = (node: FormulaNode): FormulaNode => {
  let at = node
  for (;;) {
    const parts = at.children.filter(({ name }) => !propertyNames.test(name))
    const [only] = parts
    if (only === undefined || parts.length !== 1 || !/^(?:e|mrow|mstyle|mpadded)$/.test(at.name)) return at
    at = only
  }
}

const isArray = ({ name }: FormulaNode): boolean => /^(?:m|mtable|eqArr)$/.test(name)

/** The rows of a matrix, of cases or of equations: `a, b; c, d`. */
const rowsOf = (node: FormulaNode): string =>
  node.children
    .filter(({ name }) => !propertyNames.test(name))
    .map((row) => formulaText(row).replace(/;$/, ""))
    .join("; ")

/** A binomial is written with parentheses of its own. */
const fenced = (open: string, text: string, close: string): string =>
  open === "(" && /^binom\([^()]*\)$/.test(text) ? text : open + text + close

const tokens = /^(?:mi|mn|mo|mtext|ms|r|t)$/
const fractions = /^(?:mfrac|f)$/

/** Parts side by side, apart where their numbers or names would run together: `3 1/2`, not `31/2`. */
const joined = (parts: ReadonlyArray<FormulaNode>): string => {
  let text = ""
  let before: FormulaNode | undefined
  for (const [at, part] of parts.entries()) {
    const isInFence = isArray(part) && isFence(parts[at - 1])
    const shown = isInFence ? rowsOf(part) : textOf(part)
    if (shown === "") continue
    const isApart =
      before !== undefined &&
      /[\p{L}\p{N})]$/u.test(text) &&
      /^[\p{L}\p{N}(√]/u.test(shown) &&
      (fractions.test(onlyPart(part).name) ||
        fractions.test(onlyPart(before).name) ||
        (!tokens.test(before.name) && /[\p{L}\p{N}]$/u.test(text) && /^[\p{L}\p{N}]/u.test(shown)) ||
        (!tokens.test(part.name) && /\p{N}$/u.test(text) && /^\p{N}/u.test(shown)))
    text += isApart ? ` ${shown}` : shown
    before = part
  }
  return text
}

const isFence = (node: FormulaNode | undefined): boolean =>
  node?.name === "mo" && /^[([{|‖⟨]$/u.test(node.text.trim())

/** A part of several signs in parentheses. */
const grouped = (text: string): string =>
  /^(?:[\p{L}\p{N}\p{M}.,]+|[({[|][^()]*[)}\]|]|[a-z]+\([^()]*\))$/u.test(text) || [...text].length <= 1
    ? text
    : `(${text})`
