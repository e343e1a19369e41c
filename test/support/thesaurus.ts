import { randomFrom, shuffled } from "../../bench/random.js"

/** A concept of a made-up thesaurus, as whoever reads the thesaurus would count it. */
export interface ThesaurusConcept {
  readonly iri: string
  readonly type: string | null
  /** The preferred label of each language; English ones become the names. */
  readonly preferred: Readonly<Record<string, string>>
  readonly others: ReadonlyArray<readonly [language: string, label: string]>
  readonly definition: string | null
  readonly broader: ReadonlyArray<string>
  readonly related: ReadonlyArray<string>
}

/** Two concepts that mean the same, and the reason in their names by which that can be told. */
export interface PlantedPair {
  readonly reason: "same_letters" | "spelling" | "alias" | "same_name"
  readonly kept: string
  readonly doubled: string
}

export interface Thesaurus {
  readonly concepts: ReadonlyArray<ThesaurusConcept>
  readonly planted: ReadonlyArray<PlantedPair>
  /** IRIs that are linked to and stand nowhere. */
  readonly broken: ReadonlyArray<string>
  /** The same as a SKOS document in JSON-LD. */
  readonly document: Readonly<Record<string, unknown>>
}

/** Things in a harbour: groups, and the members of each in English, German and French. */
const kinds: ReadonlyArray<readonly [group: string, things: string]> = [
  [
    "Lifting gear|Hebezeug|appareil de levage",
    "crane|Kran|grue,winch|Winde|treuil,davit|Davit|bossoir,capstan|Spill|cabestan,elevator|Aufzug|élévateur"
  ],
  [
    "Vessels|Wasserfahrzeug|navire",
    "tug|Schlepper|remorqueur,ferry|Fähre|bac,barge|Kahn|péniche,trawler|Trawler|chalutier,icebreaker|Eisbrecher|brise-glace"
  ],
  [
    "Measuring instruments|Messgerät|appareil de mesure",
    "thermometer|Thermometer|thermomètre,hydrophone|Hydrophon|hydrophone,anemometer|Windmesser|anémomètre,salinity probe|Salzsonde|sonde de salinité,tide gauge|Pegel|marégraphe"
  ],
  [
    "Containers|Behälter|récipient",
    "bottle|Flasche|bouteille,canister|Kanister|bidon,strongbox|Truhe|coffre,pallet|Palette|palette,reservoir|Speicher|réservoir"
  ],
  [
    "Pumps and valves|Pumpwerk|robinetterie",
    "pump|Pumpe|pompe,valve|Ventil|soupape,compressor|Kompressor|compresseur,manifold|Verteiler|collecteur,nozzle|Düse|buse"
  ],
  [
    "Safety equipment|Sicherheitsmittel|matériel de sécurité",
    "lifejacket|Weste|gilet,extinguisher|Löscher|extincteur,siren|Sirene|sirène,stretcher|Trage|civière,helmet|Helm|casque"
  ],
  [
    "Navigation aids|Navigationsmittel|aide à la navigation",
    "compass|Kompass|compas,beacon|Bake|balise,buoy|Boje|bouée,sextant|Sextant|sextant,chronometer|Chronometer|chronomètre"
  ],
  [
    "Rope work|Tauwerk|cordage",
    "hawser|Trosse|aussière,shackle|Schäkel|manille,fender|Fender|défense,anchor|Anker|ancre,carabiner|Karabiner|mousqueton"
  ],
  [
    "Power supply|Stromversorgung|alimentation",
    "generator|Generator|génératrice,battery|Batterie|batterie,transformer|Umformer|transformateur,turbine|Turbine|turbine,inverter|Wechselrichter|onduleur"
  ],
  [
    "Field biology|Feldbiologie|biologie de terrain",
    "plankton net|Planktonnetz|filet à plancton,aquarium|Aquarium|aquarium,incubator|Brutschrank|incubateur,microscope|Mikroskop|microscope,specimen|Präparat|spécimen"
  ],
  [
    "Structures|Bauwerk|ouvrage",
    "jetty|Steg|jetée,warehouse|Lager|entrepôt,slipway|Helling|cale,drydock|Dock|bassin,pavilion|Pavillon|pavillon"
  ],
  [
    "Hand tools|Handwerkzeug|outil à main",
    "chisel|Meißel|burin,spanner|Schlüssel|clé,trowel|Kelle|truelle,scraper|Schaber|grattoir,hacksaw|Säge|scie"
  ]
]

/** How they differ: before the English and the German word, behind the French one. */
const manners = `steel|Stahl|en acier,copper|Kupfer|en cuivre,bronze|Bronze|en bronze,ceramic|Keramik|en céramique,
harbour|Hafen|de port,winter|Winter|d'hiver,deepwater|Tiefsee|de haute mer,rescue|Rettungs|de sauvetage,
emergency|Not|de secours,diesel|Diesel|à moteur diesel,hydraulic|Hydraulik|hydraulique,electric|Elektro|électrique,
portable|Trag|portatif,floating|Schwimm|flottant,mooring|Anlege|d'amarrage,survey|Vermessungs|d'hydrographie,
laboratory|Labor|de laboratoire,training|Übungs|d'exercice,arctic|Polar|polaire,tropical|Tropen|tropical,
river|Fluss|de rivière,lighthouse|Leuchtturm|de phare,ballast|Ballast|de ballast,cargo|Fracht|de fret,
passenger|Passagier|pour passagers,fishing|Fischerei|de pêche,dredging|Bagger|de dragage,wooden|Holz|en bois,
titanium|Titan|en titane,inflatable|Schlauch|gonflable,acoustic|Akustik|acoustique,thermal|Wärme|thermique`

const base = "https://example.org/harbour/"
const scheme = `${base}scheme`
const mannersOfEach = 20
const [relatedWanted, brokenWanted] = [240, 5]

/**
 * A thesaurus of some 1,280 concepts on three levels in three languages, always the same for the same seed. Some
 * concepts stand in it twice, as where two lists were once made one; some links lead to what is gone.
 */
export const makeThesaurus = (seed: number): Thesaurus => {
  const random = randomFrom(seed)
  const made = new Map<string, ThesaurusConcept>()
  const add = (concept: ThesaurusConcept) => {
    if (made.has(concept.iri)) throw new RangeError(`${concept.iri} stands in the thesaurus twice.`)
    made.set(concept.iri, concept)
    return concept.iri
  }
  const leaves: Array<string> = []
  for (const [group, things] of kinds) {
    const [kind, art, genre] = labelsOf(group)
    const top = add(conceptOf([kind, art, genre], [], `All that a harbour keeps as ${kind.toLowerCase()}.`))
    for (const thing of things.split(",")) {
      const [en, de, fr] = labelsOf(thing)
      const middle = add(
        conceptOf([en, de, fr], [top], `What is kept as a ${en}, among ${kind.toLowerCase()}.`)
      )
      const some = shuffled(manners.split(","), seed + made.size).slice(0, mannersOfEach)
      for (const manner of some) {
        const [how, wie, comment] = labelsOf(manner)
        const names: Labels = [`${how} ${en}`, `${wie}${de.toLowerCase()}`, `${fr} ${comment}`]
        leaves.push(add(conceptOf(names, [middle])))
      }
    }
  }
  const pick = () => leaves[Math.floor(random() * leaves.length)] ?? ""
  for (let count = 0; count < relatedWanted; ) {
    const [one, other] = [pick(), pick()]
    const [from, to] = [made.get(one), made.get(other)]
    if (from === undefined || to === undefined || from.broader[0] === to.broader[0]) continue
    if (from.related.includes(other) || to.related.includes(one)) continue
    made.set(one, { ...from, related: [...from.related, other] })
    count += 1
  }
  const broken = Array.from({ length: brokenWanted }, (_, place) => `${base}gone-${place}`)
  for (const iri of broken) {
    const at = pick()
    const from = made.get(at)
    if (from !== undefined) made.set(at, { ...from, related: [...from.related, iri] })
  }
  const planted = plant(leaves, made)
  for (const { doubled } of planted) add(doubled)
  const concepts = [...made.values()]
  return {
    concepts,
    planted: planted.map(({ doubled, kept, reason }) => ({ kept, reason, doubled: doubled.iri })),
    broken,
    document: documentOf(concepts)
  }
}

type Labels = readonly [en: string, de: string, fr: string]

const labelsOf = (text: string): Labels => {
  const [en = "", de = "", fr = ""] = text.trim().split("|")
  return [en, de, fr]
}

const conceptOf = (
  [en, de, fr]: Labels,
  broader: ReadonlyArray<string>,
  definition?: string
): ThesaurusConcept => ({
  iri: base + en.toLowerCase().replaceAll(" ", "-"),
  type: null,
  preferred: { en: capital(en), de, fr },
  others: [],
  definition: definition ?? null,
  broader,
  related: []
})

/** From an older list: eight concepts once more, under another name or another type. */
const plant = (leaves: ReadonlyArray<string>, made: ReadonlyMap<string, ThesaurusConcept>) => {
  const places = new Set<string>()
  const kept = (ending: string, start = "") => {
    const found = leaves.find(
      (iri) => !places.has(iri) && iri.endsWith(ending) && iri.startsWith(base + start)
    )
    const concept = made.get(found ?? "")
    if (concept === undefined) throw new RangeError(`No concept is a ${start}${ending}.`)
    places.add(concept.iri)
    return concept
  }
  const old = (name: string, of: ThesaurusConcept, more: Partial<ThesaurusConcept> = {}) => ({
    ...of,
    iri: `${base}old/${name.toLowerCase().replaceAll(/[^a-z]+/gu, "-")}`,
    preferred: { en: name },
    related: [],
    ...more
  })
  const nameOf = ({ preferred }: ThesaurusConcept) => preferred["en"] ?? ""
  const inverted = (of: ThesaurusConcept) => capital(nameOf(of).toLowerCase().split(" ").reverse().join(", "))
  const american = (of: ThesaurusConcept) => nameOf(of).replace("Harbour", "Harbor")
  const pair = (reason: PlantedPair["reason"], of: ThesaurusConcept, doubled: ThesaurusConcept) => ({
    reason,
    kept: of.iri,
    doubled
  })
  const [crane, tug, pump, siren] = [kept("-crane"), kept("-tug"), kept("-pump"), kept("-siren")]
  const [first, second] = [kept("", "harbour-"), kept("", "harbour-")]
  const [barge, buoy] = [kept("-barge"), kept("-buoy")]
  return [
    pair("same_letters", crane, old(inverted(crane), crane)),
    pair("same_letters", tug, old(inverted(tug), tug)),
    pair("spelling", first, old(american(first), first)),
    pair("spelling", second, old(american(second), second)),
    pair("alias", pump, old("Bilge engine", pump, { others: [["en", nameOf(pump)]] })),
    pair("alias", siren, old("Quayside hooter", siren, { others: [["en", nameOf(siren)]] })),
    pair("same_name", barge, old(nameOf(barge), barge, { type: "Inventory item" })),
    pair("same_name", buoy, old(nameOf(buoy), buoy, { type: "Inventory item" }))
  ]
}

const documentOf = (concepts: ReadonlyArray<ThesaurusConcept>) => ({
  "@context": {
    "@vocab": "http://www.w3.org/2004/02/skos/core#",
    prefLabel: { "@container": "@language" },
    broader: { "@type": "@id" },
    related: { "@type": "@id" },
    inScheme: { "@type": "@id" },
    type: { "@id": "http://purl.org/dc/terms/type" }
  },
  "@graph": [
    { "@id": scheme, "@type": "ConceptScheme" },
    ...concepts.map(({ broader, definition, iri, others, preferred, related, type }) => ({
      "@id": iri,
      "@type": "Concept",
      inScheme: [scheme],
      prefLabel: preferred,
      ...(others.length === 0
        ? {}
        : { altLabel: others.map(([language, label]) => ({ "@language": language, "@value": label })) }),
      ...(definition === null ? {} : { definition: { "@language": "en", "@value": definition } }),
      ...(type === null ? {} : { type }),
      broader,
      related
    }))
  ]
})

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
