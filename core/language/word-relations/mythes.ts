import * as Effect from "effect/Effect"
import { yieldToEventLoop } from "../../platform/kernel/index.js"
import type { Language } from "../languages/index.js"
import { analyse } from "../tokenization/index.js"
import { germanKey, germanRoots } from "./german.js"
import { lemmasOf } from "./lemmas.js"
import type { WordRelation } from "./listed-relations.js"
import { spanishKey, spanishRoots } from "./spanish.js"
import { wordNet } from "./wordnet.js"

/** Most entries of a thesaurus that are read: the largest that LibreOffice brings has 150,000. */
const thesaurusEntriesMax = 400_000

/** The relations of one thesaurus file. */
export interface WordRelations {
  readonly relationOf: (one: string, other: string) => WordRelation | undefined
}

/**
 * Reads the text of a MyThes data file: the name of the encoding, then for each entry a line "word|count" and as many
 * lines "(part of speech)|word|word (mark)|…". Lines of another form are skipped. Entries of several words are left
 * out. The lines of an entry stay as they are until a word asks for them.
 */
export const readMythes = (text: string, language: Language): Effect.Effect<WordRelations> =>
  Effect.gen(function* () {
    const yieldWhenDue = yieldToEventLoop()
    const { formsOf, keyOf } = keysIn(language)
    const entries = new Map<string, Array<readonly [start: number, end: number]>>()
    let count = 0
    let at = text.indexOf("\n") + 1
    while (at > 0 && at < text.length && count < thesaurusEntriesMax) {
      const end = lineEnd(text, at)
      const [, word, meanings = "0"] =
        /^([^|]+)\|(\d{1,4})\s*$/u.exec(text.slice(at, Math.min(end, at + lineMax))) ?? []
      const start = end + 1
      at = start
      for (let line = 0; line < Number(meanings) && at < text.length; line += 1) at = lineEnd(text, at) + 1
      if (word !== undefined && isOneWord(word)) {
        const key = keyOf(word.toLowerCase())
        entries.set(key, [...(entries.get(key) ?? []), [start, at]])
      }
      count += 1
      if (count % 1000 === 0) yield* yieldWhenDue
    }
    return {
      relationOf: (one, other) => {
        const others = new Set(formsOf(other, (key) => entries.has(key)))
        let found: WordRelation | undefined
        for (const key of formsOf(one, (known) => entries.has(known)))
          for (const [start, end] of entries.get(key) ?? [])
            for (const line of text.slice(start, end).split("\n"))
              for (const synonym of line.split("|").slice(1)) {
                const relation = markedRelation(synonym)
                const word = synonym.replace(/\s*\([^)]*\)/gu, "").trim()
                if (relation === undefined || !isOneWord(word) || !others.has(keyOf(word.toLowerCase())))
                  continue
                if (relation === "opposite") return relation
                found = relation
              }
        return found
      }
    }
  })

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

/** A longer line is no entry. */
const lineMax = 200
const isOneWord = (text: string): boolean => /^\p{L}[\p{L}-]{0,59}$/u.test(text)

/** Marks behind a word say that it is an antonym, or that it is a wider, narrower or only related word. */
const markedRelation = (synonym: string): WordRelation | undefined => {
  if (/\(ant[oó]n/iu.test(synonym)) return "opposite"
  return /\((?:generic|related|oberbegriff|unterbegriff|assoziation|hip[eé]r|hip[oó]n|relacionad)/iu.test(
    synonym
  )
    ? undefined
    : "same"
}

interface Keys {
  readonly keyOf: (entry: string) => string
  /** Keys under which a word in any form may stand. */
  readonly formsOf: (word: string, isEntry: (key: string) => boolean) => Iterable<string>
}

const keysIn = (language: Language): Keys => {
  switch (language) {
    case "en":
      return {
        keyOf: (entry) => entry,
        formsOf: (word, has) =>
          lemmasOf(word, { has, compares: wordNet().compares }).map((lemma) => lemma.word)
      }
    case "de":
      return { keyOf: germanKey, formsOf: germanRoots }
    case "es":
      return { keyOf: spanishKey, formsOf: spanishRoots }
    default:
      return { keyOf: termOf, formsOf: (word) => [termOf(word)] }
  }
}

const termOf = (word: string): string => analyse(word)[0]?.term ?? word
