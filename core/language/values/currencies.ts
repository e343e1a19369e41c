import { once } from "../../platform/kernel/index.js"

/** Whether a dimension is money. A currency known by a name that several share ("kronor") is `¤` with that name. */
export const isCurrency = (dimension: string): boolean => /^(?:\p{Lu}{3}|wei|¤.+)$/u.test(dimension)

const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"))

/** Names of other things as well. */
const ambiguousNames =
  /^(?:units?|points?|marks?|certificates?|bonds?|reals?|pounds?|dollars?|won|sol|soles|sum|coupons?|codes?|funds?|gold|silver|platinum|palladium|rights|currency|cents?|crowns?)$/iu

/**
 * Symbols and nouns of the currencies of the world as `Intl` knows them in English: "kr", "zł", "kronor", "złotys".
 * Made on first use.
 */
const currencies = once(() => readCurrencies())

/**
 * Returns whether a word may be a key of `currencies`, whose formats take a tenth of a second to make: a symbol, or
 * one whose last word begins as a word does in the long name of a currency ("kroner" as "krone").
 */
const mayBeName = (name: string): boolean => {
  const word = name.slice(name.lastIndexOf(" ") + 1)
  return !/^[a-z]{2}/u.test(word) || openings().has(word.slice(0, 4))
}
const openings = once(() => {
  const names = new Intl.DisplayNames("en", { type: "currency" })
  const words = [...codes].flatMap((code) => (names.of(code) ?? "").toLowerCase().split(/[^\p{L}]+/u))
  return new Set([...words, ...otherForms.split(" ")].map((word) => word.slice(0, 4)))
})
/** Symbols of two letters and more, and plurals that begin otherwise than their singular ("emalangeni"). */
const otherForms =
  "ar bs cf cg. db fcfa fg ft km kn kr kz lei rf rm rp rs zk emalangeni kips lekë leva soles soms"

const readCurrencies = (): ReadonlyMap<string, string> => {
  const byName = new Map<string, Set<string>>()
  const put = (name: string, code: string) => byName.set(name, (byName.get(name) ?? new Set()).add(code))
  for (const code of codes) {
    // The same format for both amounts: to make one takes longer than all else here.
    const signsIn = (currencyDisplay: "name" | "narrowSymbol") => {
      const format = new Intl.NumberFormat("en", { style: "currency", currency: code, currencyDisplay })
      return (amount: number) =>
        format
          .formatToParts(amount)
          .find(({ type }) => type === "currency")
          ?.value.toLowerCase() ?? ""
    }
    const symbol = signsIn("narrowSymbol")(2)
    if (symbol !== code.toLowerCase() && /[^$£¥]/u.test(symbol)) put(symbol, code)
    const nameOf = signsIn("name")
    for (const amount of [1, 2]) {
      const name = nameOf(amount)
      if (/[(\d]/u.test(name)) continue
      put(name, code)
      const noun = name.split(" ").at(-1) ?? ""
      if (!ambiguousNames.test(noun)) put(noun, code)
    }
  }
  return new Map(
    [...byName].map(([name, known]) => {
      const [only = ""] = known
      return [name, known.size === 1 ? only : `¤${name}`]
    })
  )
}

/** Returns a currency by its code, its symbol or its name in English ("12 NOK", "12 kr", "12 Danish kroner"). */
export const currencyOf = (
  word: string
): { readonly dimension: string; readonly factor: number } | undefined => {
  if (/^\p{Lu}{3}$/u.test(word)) return codes.has(word) ? { dimension: word, factor: 1 } : undefined
  const lower = word.toLowerCase()
  const dimension = lower.length < 2 || !mayBeName(lower) ? undefined : currencies().get(lower)
  return dimension === undefined ? undefined : { dimension, factor: 1 }
}
