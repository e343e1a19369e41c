/** Bounds of a JSON text or value. */
export interface JsonBounds {
  /** Maximum nesting of arrays and objects. */
  readonly depth: number
  /** Maximum number of array items, object members and containers together. */
  readonly values: number
  /** Maximum number of items or members of one container; any by default. */
  readonly members?: number
  /**
   * Maximum number of different names of members; any by default. They are what is expensive to parse. Counted from as
   * many names on, by their hashes, so that a text of up to twice as many may pass.
   */
  readonly names?: number
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

const hashSlots = 1 << 16
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
  /** Whether the next string of an object, and the string that is open, is the name of a member. */
  private expectsName = false
  private isName = false
  private names = 0
  private differentNames = 0
  private hash = 0
  /** Hashes of names so far, once there are many. */
  private hashes: Uint8Array | null = null
  /** Open containers by what closes them, and their items so far. */
  private readonly open: Array<{ readonly closer: string; members: number }> = []
  /** The bound that the text so far breaks. */
  broken: keyof JsonBounds | null = null
  /** The first crowded container of the text so far. */
  crowded: Crowded | null = null

  /** @param isEventStream Whether each server-sent event is a text of its own: strings end with their line. */
  constructor(
    readonly bounds: JsonBounds,
    private readonly isEventStream = false
  ) {}

  /** Returns the bound that the text so far breaks, or null. Of a text that breaks one, nothing more is read. */
  read(bytes: Uint8Array): keyof JsonBounds | null {
    this.broken ??= this.readOn(bytes)
    return this.broken
  }

  private readOn(bytes: Uint8Array): keyof JsonBounds | null {
    const before = this.offset
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (this.isEventStream && this.endsLine(byte)) continue
      if (this.isInString) {
        at = this.readString(bytes, at)
        if (!this.isInString && this.isName && this.countName()) return "names"
        continue
      }
      switch (byte) {
        case quote:
          this.isInString = true
          this.isName = this.expectsName
          this.expectsName = false
          this.hash = 0
          break
        case openBracket:
        case openBrace:
          this.depth += 1
          if (this.depth > this.bounds.depth) return "depth"
          this.open.push({ closer: byte === openBracket ? "]" : "}", members: 1 })
          this.expectsName = byte === openBrace
          this.values += 1
          if (this.values > this.bounds.values) return "values"
          break
        case closeBracket:
        case closeBrace:
          this.depth -= 1
          this.open.pop()
          this.expectsName = false
          break
        case comma:
          this.values += 1
          if (this.values > this.bounds.values) return "values"
          this.offset = before + at
          if (this.countMember() > (this.bounds.members ?? Infinity)) return "members"
          break
      }
    }
    this.offset = before + bytes.length
    return null
  }

  /** Reads bytes of a string; returns the place of the last one that it took. In an event stream, that is one byte. */
  private readString(bytes: Uint8Array, from: number): number {
    const last = this.isEventStream ? from : bytes.length - 1
    let { hash, isEscaped } = this
    let at = from
    for (; at <= last; at++) {
      const byte = bytes[at] ?? 0
      if (isEscaped) isEscaped = false
      else if (byte === backslash) isEscaped = true
      else if (byte === quote) {
        this.isInString = false
        break
      }
      hash = Math.imul(hash ^ byte, 0x01000193) + 1
    }
    this.hash = hash
    this.isEscaped = isEscaped
    return Math.min(at, last)
  }

  /** Counts the name that has just ended; returns whether there are too many different ones. */
  private countName(): boolean {
    const max = this.bounds.names ?? Infinity
    this.names += 1
    if (this.names <= max) return false
    this.hashes ??= new Uint8Array(hashSlots)
    const slot = (this.hash ^ (this.hash >>> 16)) & (hashSlots - 1)
    if (this.hashes[slot] === 1) return false
    this.hashes[slot] = 1
    this.differentNames += 1
    return this.differentNames > max
  }

  /** Counts an item of the innermost container; returns its number. */
  private countMember(): number {
    const innermost = this.open.at(-1)
    if (innermost === undefined) return 0
    if (innermost.members === crowdedMembers && this.crowded === null)
      this.crowded = {
        at: this.offset,
        closers: this.open
          .map(({ closer }) => closer)
          .reverse()
          .join("")
      }
    innermost.members += 1
    this.expectsName = innermost.closer === "}"
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
