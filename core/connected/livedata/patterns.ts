import * as Effect from "effect/Effect"
import type { RE2JS } from "re2js"

/** Instructions of one compiled pattern at most, and of all patterns of a query together. */
const instructionsMax = 1_000
export const queryInstructionsMax = 4_000
/** Work of one match and of all matches of one call, in instructions times characters: about 50 and 400 ms. */
const matchWorkMax = 250_000
const callWorkMax = 2_000_000
/** Compiling a pattern takes about as long as so many characters of a text. */
const compiledAsChars = 50

/** Work that the patterns of one call may still do. */
export class PatternWork {
  private left = callWorkMax

  /** Whether there is room for this much work, which is taken then. */
  take(work: number): boolean {
    this.left -= work
    return this.left >= 0
  }
}

/**
 * Says whether the whole text matches; a sentence where it cannot be tried. RE2 takes time in proportion to pattern
 * and text (https://swtch.com/~rsc/regexp/regexp1.html), so bounding their product bounds the time.
 */
export type Matcher = (text: string, work: PatternWork) => boolean | string

/** Compiles a pattern for whole matches; fails with what is wrong with it, as a sentence. */
export const compilePattern = (pattern: string): Effect.Effect<Matcher, string> =>
  Effect.gen(function* () {
    const size = patternSize(pattern)
    if (size > instructionsMax) return yield* Effect.fail("The pattern repeats more than can be tried fast.")
    // Loaded with the first pattern: most processes need it never.
    const { RE2JS: Engine } = yield* Effect.promise(() => import("re2js"))
    const compiled = yield* Effect.try({
      try: (): RE2JS => Engine.compile(Engine.translateRegExp(pattern)),
      catch: () =>
        "The pattern is no regular expression of RE2, which has no back references, does not look around and repeats at most 1,000 times."
    })
    return (text, work) => {
      const longest = Math.floor(matchWorkMax / size)
      if (text.length > longest)
        return `is longer than ${longest} characters, the most its pattern is tried on`
      return work.take((text.length + compiledAsChars) * size)
        ? compiled.matches(text)
        : "comes after more text than the patterns of one call are tried on"
    }
  })

/**
 * Instructions that a pattern compiles to, or a few more: counted repetitions multiply what they repeat. Known before
 * it is compiled, because compiling takes as long as the program is large.
 */
export const patternSize = (pattern: string): number => {
  const open: Array<number> = []
  let [sum, last] = [2, 0]
  const take = (size: number): void => {
    sum += size
    last = size
  }
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at]
    if (char === "\\") {
      const isClass = /^\\[pP]\{/u.test(pattern.slice(at, at + 3))
      at = isClass ? Math.max(at + 1, pattern.indexOf("}", at)) : at + 1
      take(1)
    } else if (char === "[") {
      at = endOfClass(pattern, at)
      take(1)
    } else if (char === "(") {
      open.push(sum)
      sum = 2
    } else if (char === ")") {
      const outer = open.pop() ?? 0
      const group = sum
      sum = outer
      take(group)
    } else if (char === "{") {
      const counted = /^\{(\d+)(,?)(\d*)\}/u.exec(pattern.slice(at, at + 20))
      if (counted === null) take(1)
      else {
        const times = Math.max(Number(counted[1]), Number(counted[3] ?? 0), 1)
        const size = (last + 1) * times
        sum += size - last
        last = size
        at += counted[0].length - 1
      }
    } else if (char === "*" || char === "+" || char === "?" || char === "|") sum += 1
    else take(1)
  }
  return open.reduce((whole, outer) => whole + outer, sum)
}

/** The place of the bracket that ends a class, one right after its beginning not counted. */
const endOfClass = (pattern: string, start: number): number => {
  let at = start + 1
  if (pattern[at] === "^") at += 1
  if (pattern[at] === "]") at += 1
  for (; at < pattern.length && pattern[at] !== "]"; at += 1) {
    if (pattern[at] === "\\") at += 1
    else if (pattern.startsWith("[:", at)) at = Math.max(at, pattern.indexOf(":]", at) + 1)
  }
  return at
}
