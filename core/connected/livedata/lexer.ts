import type { DataConnectorKind } from "./model.js"

/** A piece of SQL text. White space and plain comments are no tokens. */
export interface Token {
  readonly kind:
    | "word"
    | "identifier"
    | "string"
    | "number"
    | "parameter"
    | "executable-comment"
    | "unterminated"
    | "punctuation"
  /** Name of a quoted identifier without its quotes, name of a parameter, otherwise the text as written. */
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Whether a token is this keyword, in any case. Quoted identifiers are never keywords. */
export const isWord = (token: Token | undefined, ...words: ReadonlyArray<string>): boolean =>
  token?.kind === "word" && words.includes(token.text.toLowerCase())

/** Whether a token is this sign. */
export const isSign = (token: Token | undefined, sign: string): boolean =>
  token?.kind === "punctuation" && token.text === sign

const wordPattern = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y
const numberPattern = /(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y
const parameterName = /[A-Za-z_][A-Za-z0-9_]*/y

/**
 * Cuts SQL text into tokens by the quoting rules of a dialect. MySQL is read with its default `sql_mode`, which the
 * session sets: backslashes escape, and double quotes delimit strings. Linear in the text, and total.
 */
export const tokenize = (sql: string, dialect: DataConnectorKind): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  let at = 0
  const match = (pattern: RegExp, from: number): string | null => {
    pattern.lastIndex = from
    return pattern.exec(sql)?.[0] ?? null
  }
  const push = (kind: Token["kind"], end: number, text = sql.slice(at, end)): void => {
    tokens.push({ kind, text, start: at, end })
    at = end
  }
  const pushQuoted = (kind: "string" | "identifier", quote: string, escapes: boolean): void => {
    const end = quotedEnd(sql, at, quote, escapes)
    if (end === null) {
      push("unterminated", sql.length)
      return
    }
    const inner = sql.slice(at + 1, end - 1)
    push(kind, end, kind === "identifier" ? inner.replaceAll(quote + quote, quote) : sql.slice(at, end))
  }
  while (at < sql.length) {
    const char = sql.charAt(at)
    const pair = sql.slice(at, at + 2)
    if (/\s/u.test(char)) at += 1
    else if (
      (pair === "--" && (dialect !== "mysql" || /^(?:\s|$)/u.test(sql.slice(at + 2, at + 3)))) ||
      (char === "#" && dialect === "mysql")
    ) {
      const end = sql.indexOf("\n", at)
      at = end < 0 ? sql.length : end + 1
    } else if (pair === "/*") {
      const end = commentEnd(sql, at, dialect === "postgres")
      if (end === null) push("unterminated", sql.length)
      else if (dialect === "mysql" && /^\/\*M?!/u.test(sql.slice(at, at + 4))) push("executable-comment", end)
      else at = end
    } else if (char === "'") {
      const before = tokens.at(-1)
      const isEscaped =
        dialect === "mysql" || (dialect === "postgres" && before?.end === at && isWord(before, "e"))
      pushQuoted("string", "'", isEscaped)
    } else if (char === '"')
      pushQuoted(dialect === "mysql" ? "string" : "identifier", '"', dialect === "mysql")
    else if (char === "`" && dialect !== "postgres") pushQuoted("identifier", "`", false)
    else if (char === "[" && dialect === "sqlite") {
      const end = sql.indexOf("]", at)
      if (end < 0) push("unterminated", sql.length)
      else push("identifier", end + 1, sql.slice(at + 1, end))
    } else if (char === "$" && dialect === "postgres" && match(dollarTag, at) !== null) {
      const tag = match(dollarTag, at) ?? ""
      const end = sql.indexOf(tag, at + tag.length)
      if (end < 0) push("unterminated", sql.length)
      else push("string", end + tag.length)
    } else if (char === ":" && pair !== "::" && pair !== ":=" && match(parameterName, at + 1) !== null) {
      const name = match(parameterName, at + 1) ?? ""
      push("parameter", at + 1 + name.length, name)
    } else if (pair === "::" || pair === ":=") push("punctuation", at + 2)
    else {
      const number = match(numberPattern, at)
      const word = number === null ? match(wordPattern, at) : null
      if (number !== null) push("number", at + number.length)
      else if (word !== null) push("word", at + word.length)
      else push("punctuation", at + 1)
    }
  }
  return tokens
}

const quotedEnd = (sql: string, start: number, quote: string, escapes: boolean): number | null => {
  for (let at = start + 1; at < sql.length; at += 1) {
    const char = sql.charAt(at)
    if (escapes && char === "\\") at += 1
    else if (char === quote) {
      if (sql.charAt(at + 1) !== quote) return at + 1
      at += 1
    }
  }
  return null
}

const commentEnd = (sql: string, start: number, nests: boolean): number | null => {
  let depth = 1
  for (let at = start + 2; at < sql.length; at += 1) {
    const pair = sql.slice(at, at + 2)
    if (pair === "*/") {
      depth -= 1
      at += 1
      if (depth === 0) return at + 1
    } else if (nests && pair === "/*") {
      depth += 1
      at += 1
    }
  }
  return null
}
