/**
 * Vaults with a history, and questions about what held when: values that were edited, pages that replaced others, people
 * until a day, figures of a year. Drawn by a seed from sentence forms of three languages; half of the vaults have forms,
 * names and subjects of their own, and are held back while rules are mended.
 */
import { type DatedLanguage, heldBack, open } from "./dated-forms.js"
import { randomFrom } from "./random.js"

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
