/** How words are related: forms, degrees, spellings and opposites in English, German and Spanish. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import type { Language } from "../../../core/language/languages/index.js"
import { type Thesaurus, wordRelation } from "../../../core/language/word-relations/index.js"
import { wordNet } from "../../../core/language/word-relations/wordnet.js"
import { blocks } from "../../../core/language/word-relations/wordnet-extract.js"

const related = (language: Language, pairs: string) =>
  pairs
    .trim()
    .split(/\s*\|\s*/u)
    .map((pair) => {
      const [one = "", other = ""] = pair.split(" ")
      return `${one} ${other}: ${wordRelation(one, other, language)}, ${wordRelation(other, one, language)}`
    })
const all = (pairs: string, relation: string) =>
  pairs
    .trim()
    .split(/\s*\|\s*/u)
    .map((pair) => `${pair}: ${relation}, ${relation}`)

describe("English words", () => {
  const same = `purchased bought | Statutes law | citizens people | rapidly quickly | usually normally | began started |
    destroyed demolished | organised organized | colour color | biggest largest | required needed | annual yearly |
    refused rejected | car automobile | user clients | introduces launched`
  it("relates synonyms in any form, case and spelling", () => {
    expect(related("en", same)).toEqual(all(same, "same"))
  })

  const opposite =
    "open closed | increases decreased | hot cold | bigger smaller | enabled disable | buyers seller"
  it("relates opposites", () => {
    expect(related("en", opposite)).toEqual(all(opposite, "opposite"))
  })

  const none = `red green | cats dogs | month week | admins guests | children dogs | painted coated | mice walk |
    number numb | caring automobile | works banks | within after | Corvo Kestrel`
  it("does not relate words of one kind, nor words of which another only looks like a form", () => {
    expect(related("en", none)).toEqual(all(none, "undefined"))
  })
})

describe("German words", () => {
  const same = `begannen starteten | gekauft erworben | Mitarbeiterin Angestellten | Unternehmens Firma |
    ausgetauscht ersetzt | eingebaut montiert | erhielt bekam | Häuser Gebäude | verringert reduziert | Kennwörter Passwort`
  const opposite = "geöffnet geschlossen | stiegen sanken | Käufer Verkäufers"
  const none = "rot grün | Katze Hund | Monat Woche | Kunde Lieferant"
  it("are related in any form", () => {
    expect(related("de", same)).toEqual(all(same, "same"))
    expect(related("de", opposite)).toEqual(all(opposite, "opposite"))
    expect(related("de", none)).toEqual(all(none, "undefined"))
  })
})

describe("Spanish words", () => {
  const same = `comenzó empieza | compraron adquirió | empleados trabajadoras | ciudades urbes | utiliza emplea |
    murió falleció | utilizada usado | conocida célebre | contraseñas claves`
  const opposite = "abierto cerrado | aumentó disminuyó | públicas privado"
  const none = "rojo verde | gato perro | mes semana | cliente proveedor"
  it("are related in any form", () => {
    expect(related("es", same)).toEqual(all(same, "same"))
    expect(related("es", opposite)).toEqual(all(opposite, "opposite"))
    expect(related("es", none)).toEqual(all(none, "undefined"))
  })
})

it("asks the thesaurus about words that the built-in lists do not relate", () => {
  const thesaurus: Thesaurus = {
    relationOf: (one, other, language) =>
      language === "en" && one === "widget" && other === "gadget" ? "same" : undefined
  }
  expect(wordRelation("Widget", "gadget", "en", thesaurus)).toBe("same")
  expect(wordRelation("widget", "gadget", "de", thesaurus)).toBeUndefined()
})

it("keeps the whole extract of WordNet within 6 MB of memory", () => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  collect()
  const before = process.memoryUsage().heapUsed
  const words = wordNet()
  // A word that stands in each block decodes it.
  const found = blocks.split("\n").filter((line) => words.has(/^0([a-z-]+)/u.exec(line)?.[1] ?? ""))
  collect()
  expect(found).toHaveLength(blocks.split("\n").length)
  expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(6)
})
