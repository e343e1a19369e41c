import type { NameType } from "./model.js"

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/u))

/** Capitalised words that are no name and no part of the start of one, in small letters. */
export const ordinaryWords = words(`
  january february march april may june july august september october november december monday tuesday wednesday
  thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun today
  tomorrow yesterday spring summer autumn winter section chapter figure table appendix step part note notes example
  examples see ok yes no id ids todo fixme wip tbd tba tbc na n/a am pm etc abstract motivation introduction summary
  background conclusion references overview important warning caution tip faq faqs howto how-to q&a eod pto ooo asap eta
  iirc tldr imo imho fyi btw lol rsvp nb ps lgtm wfh gdp hr pr it ui ux api apis url urls html css json xml pdf csv sql
  http https usd eur gbp sek nok dkk chf jpy cny inr est edt pst pdt cet cest utc gmt bst kb mb gb tb i ii iii iv vi vii
  viii ix xi xii q1 q2 q3 q4 dear hello hi thanks thank please kick-off retro licence incident budget audit decided
  ceo cto cfo coo cmo cio vp svp evp phd mba later earlier recently meanwhile however soon finally next several many most some other former current
  internet web english faqs q2 q3 q4 monday's us fy tts-wide tl;dr i'm i'll i've god copyright issue page chair there here never always takeaway takeaways`)

/** Titles before the name of a person, which are no part of it. */
export const titles = words(`
  mr mrs ms miss mx dr prof professor sir dame lord lady president governor senator minister judge justice captain
  colonel general major sergeant lieutenant commander admiral king queen prince princess pope bishop cardinal reverend
  rev father sister brother saint chancellor ambassador congressman congresswoman mayor sheriff detective inspector
  officer coach herr frau madame monsieur`)

/** First names that are also other words. */
export const doubleMeaning = words(`
  per will mark may bill rob drew grant hope grace faith april june summer rich rose amber joy dawn art chase chuck
  frank gene iris ivy jack jasmine lance lily max miles nick pat penny pierce ray ruby sandy skip sue summer violet
  wade ward olive pearl basil bob hazel heather holly dean earl duke don chance destiny charity autumn christian`)

/** Days and months, which end no name. */
export const calendar = words(`
  january february march april may june july august september october november december monday tuesday wednesday
  thursday friday saturday sunday`)

/** Small words inside names. */
export const connectors = words(
  "of the de del della der den des di du da dos la le van von bin al ibn & and for"
)
/** The part of them that joins names of persons. */
export const particles = words("de del della der den des di du da dos la le van von bin al ibn ter zu")

/** Legal forms at the end of the name of an organization, which its short name leaves out. */
export const legalForms = words(`
  inc incorporated ltd limited llc llp plc gmbh ag sa sas sarl bv nv ab asa oyj oy aps corp corporation co kg se spa srl pty
  holding holdings`)

const typeWords: Readonly<Record<NameType, string>> = {
  organization: `
    bank group university college institute institution ministry council party association union team board agency
    airlines airline airways foods media motors systems software partners consulting labs laboratory laboratories
    foundation society committee department parliament congress senate assembly court church school academy hospital
    club band orchestra company companies industries energy pharma pharmaceuticals technologies technology robotics
    telecom networks shipping steel capital ventures insurance logistics services solutions studios studio records books
    press pictures films entertainment brands hotels resorts mining oil petroleum electric electronics semiconductor
    cars batteries bakery brewery dairy freight couriers ferries marine legal analytics hosting learning railways rail
    rovers united athletic federation organisation organization commission bureau authority administration service
    guild alliance league movement office center centre museum library station's times post gazette tribune journal
    herald news broadcasting trust fund cooperative coop works trading international interactive digital data health
    healthcare retail stores store supply textiles chemicals materials cutlery oyster tug sensors seafood outfitters
    regiment division brigade army navy police corps force fleet empire dynasty league operations finance sales`,
  place: `
    street road avenue boulevard lane square park river lake mount mountain mountains island islands bay gulf sea ocean
    valley county district province region state city town village bridge tower castle palace airport harbour harbor
    port beach coast desert forest canyon canal peninsula hill hills falls springs heights township republic kingdom
    cathedral abbey stadium arena rift territory straits strait cape fjord plaza`,
  event: `
    festival conference summit war battle week days day cup prize prizes olympics games championship championships
    exhibition expo fair ceremony revolution uprising treaty massacre election elections marathon tournament derby
    convention congress hackathon awards award pandemic crisis earthquake hurricane incident workshop kickoff meetup`,
  product: `
    app engine computer rocket project framework platform browser suite api sdk server phone console edition protocol
    language telescope stone lisa tracker mobile cloud studio code swift web`,
  person: ""
}

const typeOfWord = new Map(
  (["product", "event", "place", "organization"] as const).flatMap((type) =>
    [...words(typeWords[type])].map((word) => [word, type] as const)
  )
)

/** Returns the type of a name that ends in this word, or null. */
export const typeByLastWord = (word: string): NameType | null =>
  typeOfWord.get(word) ?? (legalForms.has(word) ? "organization" : null)

/** First words that say what the rest names. */
const typeOfFirst = new Map<string, NameType>([
  ...[..."lake mount cape san santa saint fort port isle".split(" ")].map((word) => [word, "place"] as const),
  ...[..."university ministry bank museum church institute bureau".split(" ")].map(
    (word) => [word, "organization"] as const
  ),
  ...[..."battle treaty siege festival incident".split(" ")].map((word) => [word, "event"] as const),
  ...[..."project operation".split(" ")].map((word) => [word, "product"] as const)
])
export const typeByFirstWord = (word: string): NameType | null => typeOfFirst.get(word) ?? null
