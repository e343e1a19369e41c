import { wordwise } from "./word-boundaries.js"

/** Quantifiers of one scale: universal ones and weaker ones. */
interface Scale {
  readonly strong: () => RegExp
  readonly weak: () => RegExp
}

const scales: ReadonlyArray<Scale> = [
  {
    strong: wordwise(
      /\b(?:all|every|each|entire|whole|alle[nrms]?|jede[nrms]?|sämtliche[nrs]?|tous|toutes|toute|chaque|todos|todas|cada)\b/giu
    ),
    weak: wordwise(
      /\b(?:some|many|most|several|few|various|certain|numerous|majority|nearly all|almost all|half|mainly|einige[nr]?|manche[nrs]?|viele[nr]?|meisten|mehrere[nr]?|wenige[nr]?|certaine?s|plusieurs|beaucoup|plupart|quelques|algun[oa]s|much[oa]s|vari[oa]s|mayoría)\b/giu
    )
  },
  {
    strong: wordwise(
      /\b(?:always|invariably|constantly|immer|stets|ausnahmslos|toujours|systématiquement|siempre)\b/giu
    ),
    weak: wordwise(
      /\b(?:often|usually|sometimes|generally|typically|frequently|occasionally|mostly|normally|largely|rarely|oft|häufig|meist|meistens|manchmal|normalerweise|gelegentlich|souvent|parfois|généralement|normalement|rarement|a menudo|a veces|normalmente)\b/giu
    )
  },
  {
    strong: wordwise(
      /\b(?:must|shall|required|mandatory|has to|have to|muss|müssen|verpflichtend|doit|doivent|obligatoire|debe|deben|obligatorio)\b/giu
    ),
    weak: wordwise(
      /\b(?:may|might|could|can|should|optional|recommended|kann|können|darf|dürfen|sollte|sollten|könnte|optional|empfohlen|peut|peuvent|pourrait|devrait|facultatif|puede|pueden|debería|opcional)\b/giu
    )
  }
]

const exclusive = wordwise(
  /\b(?:only|solely|exclusively|nothing but|nur|ausschließlich|lediglich|seulement|uniquement|exclusivement|solo|sólo|solamente|únicamente)\b/giu
)

const count = (text: string, pattern: () => RegExp): number => text.match(pattern())?.length ?? 0

/** Whether a claim says "all", "always", "must" or "only" where its evidence has a weaker quantifier. */
export const overstates = (claim: string, evidence: string): boolean =>
  count(claim, exclusive) > count(evidence, exclusive) ||
  scales.some(
    ({ strong, weak }) =>
      count(claim, strong) > count(evidence, strong) && count(evidence, weak) > count(claim, weak)
  )
