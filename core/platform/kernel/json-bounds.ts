/** Bounds of a JSON text or value. */
export interface JsonBounds {
  /** Maximum nesting of arrays and objects. */
  readonly depth: number
  /** Maximum number of array items, object members and containers together. */
  readonly values: number
  /** Maximum number of items or members of one container; any by default. */
  readonly members?: number
}

/** Where a text has more items or members in one container than it is read with at once. */
export interface Crowded {
  /** Offset of the comma behind so many of them. */
  readonly at: number
  /** What closes the containers that are open there. */
  readonly closers: string
}

/** Items or members from which a container is crowded: what is made of them takes some hundredths of a second. */
const crowdedMembers = 2_000

/** Bounds of what models, MCP servers and other strangers send, before it is parsed. */
export const foreignJsonBounds: JsonBounds = { depth: 64, values: 50_000 }

const [newline, quote, backslash, comma] = [0x0a, 0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Counts a JSON text that arrives in parts. Reads the bytes once and makes no values, so that a text is refused before
 * it can hold up the event loop; a text that is no JSON may pass.
 */
export class JsonBoundsReader {
  private depth = 0
  private values = 0
  private isInString = false
  private isEscaped = false
  private isLineEmpty = false
  private offset = 0
  /** Open containers by what closes them, and their items so far. */
  private readonly open: Array<{ readonly closer: string; members: number }> = []
  /** The first crowded container of the text so far. */
  crowded: Crowded | null = null

  /** @param isEventStream Whether each server-sent event is a text of its own: strings end with their line. */
  constructor(
    private readonly bounds: JsonBounds,
    private readonly isEventStream = false
  ) {}

  /** Returns the bound that the text so far breaks, or null. */
  read(bytes: Uint8Array): keyof JsonBounds | null {
    for (const byte of bytes) {
      this.offset += 1
      if (this.isEventStream && this.endsLine(byte)) continue
      if (this.isInString) {
        if (this.isEscaped) this.isEscaped = false
        else if (byte === backslash) this.isEscaped = true
        else if (byte === quote) this.isInString = false
        continue
      }
      switch (byte) {
        case quote:
          this.isInString = true
          break
        case openBracket:
        case openBrace:
          this.depth += 1
          if (this.depth > this.bounds.depth) return "depth"
          this.open.push({ closer: byte === openBracket ? "]" : "}", members: 1 })
          this.values += 1
          if (this.values > this.bounds.values) return "values"
          break
        case closeBracket:
        case closeBrace:
          this.depth -= 1
          this.open.pop()
          break
        case comma:
          this.values += 1
          if (this.values > this.bounds.values) return "values"
          if (this.countMember() > (this.bounds.members ?? Infinity)) return "members"
          break
      }
    }
    return null
  }

  /** Counts an item of the innermost container; returns its number. */
  private countMember(): number {
    const innermost = this.open.at(-1)
    if (innermost === undefined) return 0
    if (innermost.members === crowdedMembers && this.crowded === null)
      this.crowded = {
        at: this.offset - 1,
        closers: this.open
          .map(({ closer }) => closer)
          .reverse()
          .join("")
      }
    innermost.members += 1
    return innermost.members
  }

  /** Whether the byte ends a line of an event stream; an empty line ends the event. */
  private endsLine(byte: number): boolean {
    if (byte !== newline) {
      if (byte !== 0x0d) this.isLineEmpty = false
      return false
    }
    if (this.isLineEmpty) {
      this.depth = 0
      this.values = 0
      this.open.length = 0
    }
    this.isLineEmpty = true
    this.isInString = false
    this.isEscaped = false
    return true
  }
}

/** Returns the bound that a whole JSON text breaks, or null. */
export const brokenBound = (bytes: Uint8Array, bounds: JsonBounds): keyof JsonBounds | null =>
  new JsonBoundsReader(bounds).read(bytes)

/**
 * Returns the bound that a value breaks that was parsed elsewhere, or null: depth, values, or characters of all its texts
 * and names. Stops at the first broken bound and never recurses.
 */
export const brokenValueBound = (
  value: unknown,
  bounds: JsonBounds & { readonly characters: number }
): keyof JsonBounds | "characters" | null => {
  const open: Array<{ readonly value: unknown; readonly depth: number }> = [{ value, depth: 0 }]
  let [values, characters] = [0, 0]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth, value: one } = next
    values += 1
    if (values > bounds.values) return "values"
    if (typeof one === "string") characters += one.length
    if (characters > bounds.characters) return "characters"
    if (typeof one !== "object" || one === null) continue
    if (depth >= bounds.depth) return "depth"
    if (Array.isArray(one)) {
      if (values + one.length > bounds.values) return "values"
      for (const item of one) open.push({ value: item, depth: depth + 1 })
      continue
    }
    for (const name in one) {
      if (!Object.hasOwn(one, name)) continue
      characters += name.length
      if (open.length + values > bounds.values) return "values"
      open.push({ value: Reflect.get(one, name), depth: depth + 1 })
    }
  }
  return null
}
