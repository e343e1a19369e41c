import { expect, test } from "vitest"
import { isUnitWord } from "../../../core/language/values/index.js"

const namesOf = (currency: string): ReadonlyArray<string> =>
  [1, 2].flatMap((amount) => {
    const format = new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "name" })
    const name = format.formatToParts(amount).find(({ type }) => type === "currency")?.value ?? ""
    // A former currency has its years in brackets, and an unnamed one its code for a name.
    return /[(\d]/u.test(name) || name === currency ? [] : [name]
  })

test("every currency that Intl names is a unit, in the singular and the plural", () => {
  const unknown = Intl.supportedValuesOf("currency")
    .flatMap(namesOf)
    .filter((name) => !isUnitWord(name))
  expect(unknown).toEqual([])
})

test("the noun alone is a unit, too, with letters beyond ASCII and irregular plurals", () => {
  const nouns = ["kroner", "kronor", "emalangeni", "euros", "hryvnias", "lei", "rupees", "zlotys"]
  expect(nouns.filter((noun) => !isUnitWord(noun))).toEqual([])
})

test("words that begin like a currency or like none are no units of money", () => {
  expect(["people", "points", "reality", "sprints", "sentences"].filter(isUnitWord)).toEqual([])
})
