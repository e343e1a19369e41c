import { isSpace } from "./line-scanner.js"

interface Opener {
  readonly start: number
  end: number
}

/**
 * Pairs the runs of `*`, `_` and `~~` that mark emphasis and cuts both; a run without a partner stays text, as does
 * `_` inside a word. Simpler than CommonMark's pairing (marks of two kinds may cross), and linear.
 */
export class Emphasis {
  private readonly open = new Map<number, Array<Opener>>()

  constructor(
    private readonly text: string,
    private readonly from: number,
    private readonly to: number,
    private readonly cut: (start: number, end: number) => void
  ) {}

  /** Adds the next run of equal marks. */
  run(start: number, end: number): void {
    const mark = this.text.charCodeAt(start)
    const before = start > this.from ? this.text.charCodeAt(start - 1) : 32
    const after = end < this.to ? this.text.charCodeAt(end) : 32
    const inWord = mark === 95 && isWordChar(before) && isWordChar(after)
    if (inWord || (mark === 126 && end - start < 2)) return
    const openers = this.open.get(mark) ?? []
    this.open.set(mark, openers)
    const rest = isSpace(before) ? start : this.close(openers, start, end)
    if (rest < end && !isSpace(after)) openers.push({ start: rest, end })
  }

  /** Pairs the run with open ones as far as possible; returns where the rest of it starts. */
  private close(openers: Array<Opener>, start: number, end: number): number {
    let rest = start
    for (let opener = openers.at(-1); rest < end && opener !== undefined; opener = openers.at(-1)) {
      const length = Math.min(opener.end - opener.start, end - rest)
      this.cut(opener.end - length, opener.end)
      this.cut(rest, rest + length)
      opener.end -= length
      rest += length
      if (opener.end === opener.start) openers.pop()
    }
    return rest
  }
}

/** Whether a UTF-16 unit starts a letter or digit of any script. */
const isWordChar = (code: number): boolean =>
  (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122) || (code >= 0xaa && !isSpace(code))
