/** An element of a formula in MathML or in the form of Office, whose names have no prefix here. */
export interface FormulaNode {
  readonly name: string
  readonly text: string
  readonly children: ReadonlyArray<FormulaNode>
}

/** A formula on one line: `(a + b)/2`, `c^2`, `x_1`, `√(2)`. */
export const formulaText = (node: FormulaNode): string => {
  const parts = node.children.filter(({ name }) => !propertyNames.test(name))
  const at = (place: number): string => {
    const part = parts[place]
    return part === undefined ? "" : formulaText(part)
  }
  const named = (name: string): string => {
    const part = parts.find((one) => one.name === name)
    return part === undefined ? "" : formulaText(part)
  }
  switch (node.name) {
    case "mfrac":
      return `${grouped(at(0))}/${grouped(at(1))}`
    case "f":
      return `${grouped(named("num"))}/${grouped(named("den"))}`
    case "msup":
    case "mover":
      return `${grouped(at(0))}^${grouped(at(1))}`
    case "sSup":
      return `${grouped(named("e"))}^${grouped(named("sup"))}`
    case "msub":
    case "munder":
      return `${at(0)}_${grouped(at(1))}`
    case "sSub":
      return `${named("e")}_${grouped(named("sub"))}`
    case "msubsup":
    case "munderover":
      return `${at(0)}_${grouped(at(1))}^${grouped(at(2))}`
    case "sSubSup":
      return `${named("e")}_${grouped(named("sub"))}^${grouped(named("sup"))}`
    case "nary":
      return `∑_${grouped(named("sub"))}^${grouped(named("sup"))} ${named("e")}`
    case "msqrt":
      return `√(${joined(parts)})`
    case "mroot":
      return `root(${at(1)}, ${at(0)})`
    case "rad": {
      const degree = named("deg")
      return degree === "" ? `√(${named("e")})` : `root(${degree}, ${named("e")})`
    }
    case "d":
      return `(${joined(parts)})`
    case "mtr":
    case "mr":
      return `${parts.map(formulaText).join(", ")}; `
    case "mtable":
    case "m":
      return `[${joined(parts).replace(/; $/, "")}]`
    case "semantics":
      return at(0)
    case "annotation":
    case "annotation-xml":
      return ""
    default:
      return parts.length === 0 ? node.text.replace(/\s+/gu, " ").trim() : joined(parts)
  }
}

/** Elements that only describe the appearance of a part. */
const propertyNames = /^(?:\w+Pr|ctrlPr)$/

const joined = (parts: ReadonlyArray<FormulaNode>): string => parts.map(formulaText).join("")

/** A part of several signs in parentheses. */
const grouped = (text: string): string =>
  /^(?:[\p{L}\p{N}.,]+|\(.*\))$/u.test(text) || text.length <= 1 ? text : `(${text})`
