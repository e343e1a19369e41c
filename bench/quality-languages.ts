import { readFileSync } from "node:fs"
import { z } from "zod"
import type { Collection, JudgedCorpus } from "./data.js"

const languages = ["de", "fr", "ru", "ja", "zh"] as const

const Queries = z.array(z.object({ text: z.string(), relevant: z.record(z.string(), z.number()) }))

const LanguageSet = z.object({
  documents: z.array(z.object({ path: z.string(), text: z.string() })),
  queries: Queries,
  apart: Queries
})

/** Name of the means of these collections in a report. */
export const languagesName = "languages"

/**
 * The judged sets of the tests in one vault of five languages, as people have it: a collection for each language. The
 * paths of the documents begin with the language.
 */
export const readLanguages = (queriesMax: number): JudgedCorpus => {
  const sets = languages.map((language) => {
    const url = new URL(`../test/fixtures/languages/${language}.json`, import.meta.url)
    return { language, set: LanguageSet.parse(JSON.parse(readFileSync(url, "utf8"))) }
  })
  return {
    documents: sets.flatMap(({ language, set }) =>
      set.documents.map(({ path, text }) => ({
        id: `${language}/${path}`,
        title: /^# (.*)$/mu.exec(text)?.[1] ?? "",
        text
      }))
    ),
    collections: sets.map(
      ({ language, set }): Collection => ({
        name: `${languagesName}, ${language}`,
        queries: [...set.queries, ...set.apart].slice(0, queriesMax).map(({ relevant, text }, i) => ({
          id: `${language}-${i}`,
          text,
          judged: new Map(Object.entries(relevant).map(([path, grade]) => [`${language}/${path}`, grade]))
        }))
      })
    )
  }
}
