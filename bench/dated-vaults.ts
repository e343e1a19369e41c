/**
 * Vaults with a history, and questions about what held when: values that were edited, pages that replaced others, people
 * until a day, figures of a year. Drawn by a seed from sentence forms of three languages; half of the vaults have forms,
 * names and subjects of their own, and are held back while rules are mended.
 */
import { randomFrom } from "./random.js"

export type DatedLanguage = "en" | "de" | "es"

/** A change of a file of the vault on a day; the first one creates it. */
interface FileChange {
  readonly path: string
  readonly day: string
  readonly text: string
}

export interface DatedQuestion {
  readonly kind:
    | "edited"
    | "before"
    | "version"
    | "asOf"
    | "page"
    | "person"
    | "yearly"
    | "changes"
    | "present"
  readonly question: string
  readonly asOf?: string
  readonly right: ReadonlyArray<string>
  /** Values of the same thing at other times. */
  readonly others: ReadonlyArray<string>
}

export interface DatedVault {
  readonly name: string
  readonly language: DatedLanguage
  readonly isHeldBack: boolean
  readonly changes: ReadonlyArray<FileChange>
  readonly questions: ReadonlyArray<DatedQuestion>
}

/** The day on which everything is asked. */
export const askedOn = "2026-11-16"

type Random = () => number
type Slots = Readonly<Record<string, string>>

const pick = <A>(random: Random, all: ReadonlyArray<A>): A => {
  const found = all[Math.floor(random() * all.length)]
  if (found === undefined) throw new RangeError("Nothing to pick from.")
  return found
}

const filled = (form: string, slots: Slots): string =>
  form.replace(/\{(\w+)\}/gu, (_, name: string) => slots[name] ?? "")

const months: Readonly<Record<DatedLanguage, ReadonlyArray<string>>> = {
  en: "January February March April May June July August September October November December".split(" "),
  de: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(" "),
  es: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(" ")
}
const monthOf = (day: string, language: DatedLanguage): string => {
  const name = months[language][Number(day.slice(5, 7)) - 1] ?? ""
  return `${name}${language === "es" ? " de" : ""} ${day.slice(0, 4)}`
}

/** Forms of one half of the vaults of a language. */
interface Forms {
  readonly prices: ReadonlyArray<{ readonly says: string; readonly asks: string; readonly asked: string }>
  readonly things: ReadonlyArray<string>
  readonly counts: ReadonlyArray<{ readonly says: string; readonly asks: string; readonly asked: string }>
  readonly holders: ReadonlyArray<string>
  readonly people: ReadonlyArray<string>
  readonly person: ReadonlyArray<{
    readonly says: string
    readonly asks: string
    readonly asked: string
    readonly before: string
  }>
  readonly offices: ReadonlyArray<string>
  readonly yearly: ReadonlyArray<{ readonly says: string; readonly asked: string }>
  readonly inTime: ReadonlyArray<string>
  readonly before: string
  readonly version: string
  readonly changes: ReadonlyArray<string>
  readonly fillers: ReadonlyArray<string>
}

const open: Readonly<Record<DatedLanguage, Forms>> = {
  en: {
    prices: [
      {
        says: "A {thing} costs {value} EUR.",
        asks: "What does a {thing} cost?",
        asked: "What did a {thing} cost{time}?"
      },
      {
        says: "The price of a {thing} is {value} EUR, taxes included.",
        asks: "How much is a {thing}?",
        asked: "What was the price of a {thing}{time}?"
      },
      {
        says: "We charge {value} EUR for a {thing}.",
        asks: "How much do we charge for a {thing}?",
        asked: "How much did we charge for a {thing}{time}?"
      }
    ],
    things: ["day ticket", "mooring ring", "diving course", "tow to the shipyard"],
    counts: [
      {
        says: "{holder} has {value} lockers.",
        asks: "How many lockers does {holder} have?",
        asked: "How many lockers did {holder} have{time}?"
      },
      {
        says: "There are {value} lockers in {holder}.",
        asks: "How many lockers are in {holder}?",
        asked: "How many lockers were in {holder}{time}?"
      }
    ],
    holders: ["Elmstow Hall", "the Cormorant House"],
    people: ["Mara Quill", "Jonas Etter", "Ivo Brandt", "Selma Roth"],
    person: [
      {
        says: "Until {month} {old} ran the {office}; since then {new} has run it.",
        asks: "Who runs the {office}?",
        asked: "Who ran the {office} in {year}?",
        before: "Who ran the {office} before {new}?"
      },
      {
        says: "{old} was head of the {office} until {month}. {new} has been head of the {office} since {month}.",
        asks: "Who is head of the {office}?",
        asked: "Who was head of the {office} in {year}?",
        before: "Who was head of the {office} before {new}?"
      }
    ],
    offices: ["sailing school", "rope workshop"],
    yearly: [
      {
        says: "In {year} the club counted {value} members.",
        asked: "How many members did the club count in {year}?"
      },
      {
        says: "The club had {value} members in {year}.",
        asked: "How many members did the club have in {year}?"
      }
    ],
    inTime: [" in {month}", " at the end of {month}"],
    before: " before",
    version: " as of version {version}",
    changes: ["What changed in the price of a {thing}?", "How has the price of a {thing} changed?"],
    fillers: [
      "Bookings are taken at the front desk.",
      "Dogs are welcome on a lead.",
      "Please bring your own towel."
    ]
  },
  de: {
    prices: [
      {
        says: "Eine {thing} kostet {value} EUR.",
        asks: "Was kostet eine {thing}?",
        asked: "Was kostete eine {thing}{time}?"
      },
      {
        says: "Der Preis einer {thing} beträgt {value} EUR.",
        asks: "Wie hoch ist der Preis einer {thing}?",
        asked: "Wie hoch war der Preis einer {thing}{time}?"
      }
    ],
    things: ["Tageskarte", "Bootsmiete", "Reparaturstunde", "Segelstunde"],
    counts: [
      {
        says: "{holder} hat {value} Schließfächer.",
        asks: "Wie viele Schließfächer hat {holder}?",
        asked: "Wie viele Schließfächer hatte {holder}{time}?"
      },
      {
        says: "In {holder} gibt es {value} Schließfächer.",
        asks: "Wie viele Schließfächer gibt es in {holder}?",
        asked: "Wie viele Schließfächer gab es{time} in {holder}?"
      }
    ],
    holders: ["Haus Ulmenhof", "Halle Nord"],
    people: ["Mara Quell", "Jonas Etter", "Ivo Brandt", "Selma Roth"],
    person: [
      {
        says: "Bis {month} leitete {old} die {office}; seitdem leitet sie {new}.",
        asks: "Wer leitet die {office}?",
        asked: "Wer leitete die {office} im Jahr {year}?",
        before: "Wer leitete die {office} vor {new}?"
      },
      {
        says: "{old} war bis {month} Leiterin der {office}. {new} ist seit {month} Leiter der {office}.",
        asks: "Wer ist Leiter der {office}?",
        asked: "Wer war {year} Leiterin der {office}?",
        before: "Wer war vor {new} Leiterin der {office}?"
      }
    ],
    offices: ["Segelschule", "Seilerei"],
    yearly: [
      {
        says: "Im Jahr {year} zählte der Verein {value} Mitglieder.",
        asked: "Wie viele Mitglieder zählte der Verein im Jahr {year}?"
      },
      {
        says: "{year} hatte der Verein {value} Mitglieder.",
        asked: "Wie viele Mitglieder hatte der Verein {year}?"
      }
    ],
    inTime: [" im {month}", " Ende {month}"],
    before: " vorher",
    version: " nach dem Stand von Version {version}",
    changes: [
      "Was hat sich am Preis einer {thing} geändert?",
      "Wie hat sich der Preis einer {thing} geändert?"
    ],
    fillers: [
      "Anmeldungen nimmt die Rezeption entgegen.",
      "Hunde sind an der Leine willkommen.",
      "Bitte bringen Sie ein Handtuch mit."
    ]
  },
  es: {
    prices: [
      {
        says: "Una {thing} cuesta {value} EUR.",
        asks: "¿Cuánto cuesta una {thing}?",
        asked: "¿Cuánto costaba una {thing}{time}?"
      },
      {
        says: "El precio de una {thing} es de {value} EUR.",
        asks: "¿Cuál es el precio de una {thing}?",
        asked: "¿Cuál era el precio de una {thing}{time}?"
      }
    ],
    things: ["entrada diaria", "clase de vela", "hora de taller", "plaza de amarre"],
    counts: [
      {
        says: "{holder} tiene {value} taquillas.",
        asks: "¿Cuántas taquillas tiene {holder}?",
        asked: "¿Cuántas taquillas tenía {holder}{time}?"
      },
      {
        says: "En {holder} hay {value} taquillas.",
        asks: "¿Cuántas taquillas hay en {holder}?",
        asked: "¿Cuántas taquillas había en {holder}{time}?"
      }
    ],
    holders: ["Casa Olmeda", "el Pabellón Norte"],
    people: ["Mara Quiroga", "Jonás Prado", "Ivo Salas", "Selma Robles"],
    person: [
      {
        says: "Hasta {month} {old} dirigió la {office}; desde entonces la dirige {new}.",
        asks: "¿Quién dirige la {office}?",
        asked: "¿Quién dirigía la {office} en {year}?",
        before: "¿Quién dirigía la {office} antes de {new}?"
      },
      {
        says: "{old} fue directora de la {office} hasta {month}. {new} es director de la {office} desde {month}.",
        asks: "¿Quién es director de la {office}?",
        asked: "¿Quién fue directora de la {office} en {year}?",
        before: "¿Quién fue directora de la {office} antes de {new}?"
      }
    ],
    offices: ["escuela de vela", "cordelería"],
    yearly: [
      {
        says: "En {year} el club contaba con {value} socios.",
        asked: "¿Con cuántos socios contaba el club en {year}?"
      },
      { says: "El club tuvo {value} socios en {year}.", asked: "¿Cuántos socios tuvo el club en {year}?" }
    ],
    inTime: [" en {month}", " a finales de {month}"],
    before: " antes",
    version: " según la versión {version}",
    changes: ["¿Qué ha cambiado en el precio de una {thing}?", "¿Cómo ha cambiado el precio de una {thing}?"],
    fillers: [
      "Las reservas se hacen en recepción.",
      "Se admiten perros con correa.",
      "Traiga su propia toalla."
    ]
  }
}

const heldBack: Readonly<Record<DatedLanguage, Forms>> = {
  en: {
    prices: [
      {
        says: "For a {thing}, members pay {value} EUR.",
        asks: "How much do members pay for a {thing}?",
        asked: "How much did members pay for a {thing}{time}?"
      },
      {
        says: "The fee for a {thing} amounts to {value} EUR per person.",
        asks: "What is the fee for a {thing}?",
        asked: "What was the fee for a {thing}{time}?"
      },
      {
        says: "A {thing} is sold for {value} EUR.",
        asks: "For how much is a {thing} sold?",
        asked: "For how much was a {thing} sold{time}?"
      }
    ],
    things: ["kiln firing", "guided walk", "library card", "seat in the reading room"],
    counts: [
      {
        says: "{holder} employs {value} people.",
        asks: "How many people does {holder} employ?",
        asked: "How many people did {holder} employ{time}?"
      },
      {
        says: "At present {value} people work for {holder}.",
        asks: "How many people work for {holder}?",
        asked: "How many people worked for {holder}{time}?"
      }
    ],
    holders: ["Tarn Pottery", "the Wexcombe Archive"],
    people: ["Odile Marsh", "Pieter Vonk", "Nadia Holm", "Ruben Castle"],
    person: [
      {
        says: "{new} took over the {office} in {month}; until then it was led by {old}.",
        asks: "Who leads the {office}?",
        asked: "Who led the {office} in {year}?",
        before: "Who led the {office} before {new}?"
      },
      {
        says: "The {office} was managed by {old} until {month} and has been managed by {new} since {month}.",
        asks: "Who manages the {office}?",
        asked: "Who managed the {office} in {year}?",
        before: "Who managed the {office} before {new}?"
      }
    ],
    offices: ["glaze laboratory", "map collection"],
    yearly: [
      { says: "Visitors in {year}: {value}.", asked: "How many visitors came in {year}?" },
      {
        says: "During {year} the museum welcomed {value} visitors.",
        asked: "How many visitors did the museum welcome in {year}?"
      }
    ],
    inTime: [" in {month}", " back in {month}"],
    before: " previously",
    version: " as of version {version}",
    changes: ["What changed about the {thing}?", "What is new about the {thing}?"],
    fillers: [
      "The garden is open all year.",
      "Groups should write to us first.",
      "Photographs are allowed without flash."
    ]
  },
  de: {
    prices: [
      {
        says: "Für eine {thing} zahlen Mitglieder {value} EUR.",
        asks: "Wie viel zahlen Mitglieder für eine {thing}?",
        asked: "Wie viel zahlten Mitglieder{time} für eine {thing}?"
      },
      {
        says: "Die Gebühr für eine {thing} liegt bei {value} EUR.",
        asks: "Wie hoch ist die Gebühr für eine {thing}?",
        asked: "Wie hoch war{time} die Gebühr für eine {thing}?"
      }
    ],
    things: ["Führung", "Lesekarte", "Brennofenfüllung", "Werkstattwoche"],
    counts: [
      {
        says: "{holder} beschäftigt {value} Menschen.",
        asks: "Wie viele Menschen beschäftigt {holder}?",
        asked: "Wie viele Menschen beschäftigte {holder}{time}?"
      },
      {
        says: "Für {holder} arbeiten {value} Menschen.",
        asks: "Wie viele Menschen arbeiten für {holder}?",
        asked: "Wie viele Menschen arbeiteten{time} für {holder}?"
      }
    ],
    holders: ["Töpferei Tarn", "Archiv Wexheim"],
    people: ["Odile Marsch", "Pieter Vonk", "Nadja Holm", "Ruben Kastell"],
    person: [
      {
        says: "{new} hat die {office} im {month} übernommen; bis dahin wurde sie von {old} geführt.",
        asks: "Wer führt die {office}?",
        asked: "Wer führte die {office} im Jahr {year}?",
        before: "Wer führte die {office} vor {new}?"
      },
      {
        says: "Die {office} wurde bis {month} von {old} betreut, seit {month} wird sie von {new} betreut.",
        asks: "Wer betreut die {office}?",
        asked: "Wer betreute die {office} {year}?",
        before: "Wer betreute die {office} vor {new}?"
      }
    ],
    offices: ["Kartensammlung", "Glasurwerkstatt"],
    yearly: [
      { says: "Besucher {year}: {value}.", asked: "Wie viele Besucher kamen {year}?" },
      {
        says: "Das Museum begrüßte {year} {value} Besucher.",
        asked: "Wie viele Besucher begrüßte das Museum {year}?"
      }
    ],
    inTime: [" im {month}", " damals im {month}"],
    before: " zuvor",
    version: " nach dem Stand von Version {version}",
    changes: ["Welche Änderungen gab es bei der {thing}?", "Was ist neu bei der {thing}?"],
    fillers: [
      "Der Garten ist ganzjährig geöffnet.",
      "Gruppen melden sich bitte vorher an.",
      "Fotografieren ist ohne Blitz erlaubt."
    ]
  },
  es: {
    prices: [
      {
        says: "Por una {thing}, los socios pagan {value} EUR.",
        asks: "¿Cuánto pagan los socios por una {thing}?",
        asked: "¿Cuánto pagaban los socios por una {thing}{time}?"
      },
      {
        says: "La tarifa de una {thing} asciende a {value} EUR.",
        asks: "¿A cuánto asciende la tarifa de una {thing}?",
        asked: "¿A cuánto ascendía la tarifa de una {thing}{time}?"
      }
    ],
    things: ["visita guiada", "tarjeta de lectura", "hornada", "semana de taller"],
    counts: [
      {
        says: "{holder} emplea a {value} personas.",
        asks: "¿A cuántas personas emplea {holder}?",
        asked: "¿A cuántas personas empleaba {holder}{time}?"
      },
      {
        says: "En {holder} trabajan {value} personas.",
        asks: "¿Cuántas personas trabajan en {holder}?",
        asked: "¿Cuántas personas trabajaban en {holder}{time}?"
      }
    ],
    holders: ["Alfarería Tarna", "el Archivo Vescomba"],
    people: ["Odila Marchena", "Pedro Vónquez", "Nadia Olmo", "Rubén Castell"],
    person: [
      {
        says: "{new} se hizo cargo de la {office} en {month}; hasta entonces la llevaba {old}.",
        asks: "¿Quién lleva la {office}?",
        asked: "¿Quién llevaba la {office} en {year}?",
        before: "¿Quién llevaba la {office} antes de {new}?"
      },
      {
        says: "La {office} fue gestionada por {old} hasta {month} y es gestionada por {new} desde {month}.",
        asks: "¿Quién gestiona la {office}?",
        asked: "¿Quién gestionaba la {office} en {year}?",
        before: "¿Quién gestionaba la {office} antes de {new}?"
      }
    ],
    offices: ["mapoteca", "sala de esmaltes"],
    yearly: [
      { says: "Visitantes en {year}: {value}.", asked: "¿Cuántos visitantes hubo en {year}?" },
      {
        says: "Durante {year} el museo recibió {value} visitantes.",
        asked: "¿Cuántos visitantes recibió el museo en {year}?"
      }
    ],
    inTime: [" en {month}", " allá por {month}"],
    before: " anteriormente",
    version: " según la versión {version}",
    changes: ["¿Qué ha cambiado en la {thing}?", "¿Qué hay de nuevo en la {thing}?"],
    fillers: [
      "El jardín abre todo el año.",
      "Los grupos deben escribir antes.",
      "Se puede fotografiar sin flash."
    ]
  }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Days on which a value was set, each in another quarter. */
const daysOf = (random: Random): ReadonlyArray<string> => {
  const digits = (part: number) => String(part).padStart(2, "0")
  return ["2025-02", "2025-09", "2026-04"].map((month) => `${month}-${digits(2 + Math.floor(random() * 24))}`)
}
const dayAfter = (day: string, months_: number): string => {
  const all = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + months_
  return `${Math.floor(all / 12)}-${String((all % 12) + 1).padStart(2, "0")}-15`
}

const distinct = (random: Random, from: number, to: number, count: number): ReadonlyArray<string> => {
  const found = new Set<number>()
  while (found.size < count) found.add(from + Math.floor(random() * (to - from)))
  return [...found].map(String)
}

const without = (all: ReadonlyArray<string>, ...some: ReadonlyArray<string>): ReadonlyArray<string> =>
  all.filter((one) => !some.includes(one))

const vault = (at: number, seed: number): DatedVault => {
  const random = randomFrom(seed * 100 + at)
  const language = (["en", "de", "es"] as const)[at % 3] ?? "en"
  const isHeldBack = at >= 6
  const forms = (isHeldBack ? heldBack : open)[language]
  const changes: Array<FileChange> = []
  const questions: Array<DatedQuestion> = []
  const filler = () => pick(random, forms.fillers)

  // A value that was edited twice, and nothing on the page says so.
  const things = [...forms.things].sort(() => random() - 0.5).slice(0, 2)
  for (const [place, thing] of things.entries()) {
    const form = pick(random, forms.prices)
    const [days, values] = [daysOf(random), distinct(random, 20, 95, 3)]
    const page = (value: string) =>
      `# ${capitalised(thing)}\n\n${filler()}\n\n${filled(form.says, { thing, value })}\n\n${filler()}\n`
    for (const [version, day] of days.entries())
      changes.push({ path: `prices/${place}.md`, day, text: page(values[version] ?? "") })
    const [first = "", second = "", last = ""] = values
    const ask = (time: string) => filled(form.asked, { thing, time })
    const inTime = (day: string) => filled(pick(random, forms.inTime), { month: monthOf(day, language) })
    const time = inTime(dayAfter(days[0] ?? "", 2))
    questions.push(
      { kind: "edited", question: ask(time), right: [first], others: without(values, first) },
      { kind: "before", question: ask(forms.before), right: [second], others: without(values, second) },
      {
        kind: "present",
        question: filled(form.asks, { thing }),
        right: [last],
        others: without(values, last)
      }
    )
    if (place === 0)
      questions.push({
        kind: "version",
        question: ask(filled(forms.version, { version: "1" })),
        right: [first],
        others: without(values, first)
      })
    else
      questions.push(
        {
          kind: "asOf",
          question: filled(form.asks, { thing }),
          asOf: dayAfter(days[1] ?? "", 2),
          right: [second],
          others: without(values, second)
        },
        {
          kind: "changes",
          question: filled(pick(random, forms.changes), { thing }),
          right: values,
          others: []
        }
      )
  }

  // A page that replaced another; both say when they hold.
  const holder = pick(random, forms.holders)
  const count = pick(random, forms.counts)
  const [oldCount = "", newCount = ""] = distinct(random, 110, 190, 2)
  const countPage = (value: string, matter: string) =>
    `---\n${matter}\n---\n# ${capitalised(holder)}\n\n${capitalised(filled(count.says, { holder, value }))} ${filler()}\n`
  changes.push(
    {
      path: "places/old.md",
      day: "2026-01-02",
      text: countPage(oldCount, "valid_from: 2022-01-01\nvalid_to: 2024-12-31\nstatus: superseded")
    },
    { path: "places/present.md", day: "2026-01-02", text: countPage(newCount, "valid_from: 2025-01-01") }
  )
  const yearIn = (year: number) =>
    language === "de" ? ` im Jahr ${year}` : language === "es" ? ` en ${year}` : ` in ${year}`
  questions.push(
    {
      kind: "page",
      question: filled(count.asked, { holder, time: yearIn(2023) }),
      right: [oldCount],
      others: [newCount]
    },
    { kind: "present", question: filled(count.asks, { holder }), right: [newCount], others: [oldCount] }
  )

  // A person until a month, and another since.
  const office = pick(random, forms.offices)
  const person = pick(random, forms.person)
  const [old = "", later = ""] = [...forms.people].sort(() => random() - 0.5)
  const month = monthOf("2023-03-01", language)
  const slots = { office, old, new: later, month, year: "2022" }
  changes.push({
    path: "people.md",
    day: "2026-01-03",
    text: `# ${capitalised(office)}\n\n${filler()}\n\n${filled(person.says, slots)}\n`
  })
  questions.push(
    { kind: "person", question: filled(person.asked, slots), right: [old], others: [later] },
    { kind: "person", question: filled(person.before, slots), right: [old], others: [later] },
    { kind: "present", question: filled(person.asks, slots), right: [later], others: [old] }
  )

  // Figures of several years beside each other.
  const yearly = pick(random, forms.yearly)
  const figures = distinct(random, 210, 290, 3)
  changes.push({
    path: "figures.md",
    day: "2026-01-04",
    text: `# ${language === "de" ? "Zahlen" : language === "es" ? "Cifras" : "Figures"}\n\n${figures.map((value, year) => filled(yearly.says, { value, year: String(2022 + year) })).join(" ")}\n`
  })
  questions.push({
    kind: "yearly",
    question: filled(yearly.asked, { year: "2023" }),
    right: [figures[1] ?? ""],
    others: without(figures, figures[1] ?? "")
  })
  // The present of what was asked of the past, once more in the words of the page.
  const [thing = ""] = things
  const said = changes.filter(({ path }) => path === "prices/0.md").at(-1)?.text ?? ""
  const present = /(\d+) EUR/u.exec(said)?.[1] ?? ""
  const now = language === "de" ? "heute" : language === "es" ? "hoy" : "today"
  questions.push({
    kind: "present",
    question: filled(pick(random, forms.prices).asks, { thing }).replace(/\?$/u, ` ${now}?`),
    right: [present],
    others: changes
      .filter(({ path }) => path === "prices/0.md")
      .flatMap(({ text }) => /(\d+) EUR/u.exec(text)?.[1] ?? [])
      .filter((value) => value !== present)
  })
  return { name: `${language}-${at}`, language, isHeldBack, changes, questions }
}

/** Returns twelve vaults, the last six of which are held back. */
export const datedVaults = (seed: number): ReadonlyArray<DatedVault> =>
  Array.from({ length: 12 }, (_, at) => vault(at, seed))
