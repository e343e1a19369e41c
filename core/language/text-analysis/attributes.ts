import { memoize } from "../../platform/caching/index.js"
import { wordwise } from "../languages/index.js"
import type { ReadText } from "./read-text.js"

/** A single-valued attribute and the value in a statement. */
export interface Attribute {
  readonly key: string
  readonly value: string
  readonly start: number
  readonly end: number
}

/** Each pattern ends with the value: a few words up to the end of the clause. */
const value =
  "(?<value>(?:the |a |an |der |die |das |dem |den |le |la |les |el |los |las )?[^\\s,;:.()]+(?: [^\\s,;:.()]+){0,4}?)\\s*(?:[,;.()]|$|\\s(?:and|or|which|who|since|for|from|with|until|und|seit|et|depuis|y|desde)\\b)"
const colours =
  "(?:(?:dark|light|bright|pale|dunkel|hell) ?)?(?:red|green|blue|yellow|orange|black|white|gr[ae]y|brown|purple|pink|rot|grün|blau|gelb|schwarz|weiß|grau|braun|rouge|vert|bleu|jaune|noir|blanc|gris|rojo|verde|azul|amarillo|negro|blanco)e?s?"
const patterns: ReadonlyArray<readonly [string, string]> = [
  ["owner", "\\b(?:owned|maintained|operated|run|managed|led|headed|chaired) by "],
  [
    "owner",
    "\\b(?:owner|maintainer|head|lead|leader|manager|chair|director|master|operator|leiter(?:in)?|responsable)(?: of [^,;:.]{1,60}?)?(?: is| ist| est| es|:) "
  ],
  ["owner", "\\b(?:gehört|verantwortet von|geleitet von|dirigé par|géré par|dirigido por) "],
  [
    "contact",
    "\\b(?:contact(?: person)?|ansprechpartner(?:in)?)(?: (?:of|for|für) [^,;:.]{1,60}?)?(?: is| ist|:) "
  ],
  ["supplier", "\\b(?:supplied|delivered|provided|manufactured|made|built) by "],
  [
    "supplier",
    "\\b(?:supplier|provider|manufacturer|hersteller|lieferant|fournisseur)(?: (?:of|for|für|de) [^,;:.]{1,60}?)?(?: is| ist| est|:) "
  ],
  ["place", "\\b(?:located|based|hosted|stored|situated|headquartered) (?:in|at|on) "],
  [
    "place",
    "\\b(?:location|headquarters|home port|standort|sitz|lieu|siège)(?: (?:of|for|von|de) [^,;:.]{1,60}?)?(?: is| ist| est|:) "
  ],
  [
    "status",
    "\\b(?:status|state|zustand|statut|estado)(?: (?:of|von|de) [^,;:.]{1,60}?)?(?: is| ist| est| es|:) "
  ],
  ["approval", "\\b(?:approved|signed|authori[sz]ed|reviewed) by "],
  ["material", "\\bmade (?:of|from) "],
  ["language", "\\b(?:written|implemented) in "],
  [
    "colour",
    `\\b(?:(?:is|are|was|were|ist|sind|est|sont|es) (?:painted |coloured |colored |gestrichen |peinte? |pintad[oa] )?|painted |colou?r(?: of [^,;:.]{1,60}?)?(?: is|:) |farbe(?: [^,;:.]{1,60}?)?(?: ist|:) )(?=${colours}\\b)`
  ],
  ["default", "\\bdefault(?: [^,;:.]{1,40}?)?(?: is|:) "]
]
const attributes = patterns.map(
  ([key, before]) => [key, wordwise(() => new RegExp(before + value, "iu"))] as const
)

/** Returns the first single-valued attribute of a statement; undefined when it has none. */
export const attributeOf = memoize(({ text }: ReadText): Attribute | undefined => {
  for (const [key, pattern] of attributes) {
    const match = pattern().exec(text)
    const found = match?.groups?.["value"]
    if (match === null || found === undefined || /\d/u.test(found)) continue
    const start = match.index + match[0].lastIndexOf(found)
    return { key, value: found, start, end: start + found.length }
  }
  return undefined
})
