/** A unit that can be compared with others of its dimension: value × factor is in the dimension's base unit. */
export interface Measure {
  readonly dimension: string
  readonly factor: number
}

const table: ReadonlyArray<readonly [dimension: string, factor: number, names: string]> = [
  ["percent", 1, "% percent pct prozent percentage pourcent porcentaje"],
  ["percentage point", 1, "prozentpunkte prozentpunkt pp"],
  ["time", 1e-3, "ms msec millisecond milliseconds millisekunde millisekunden"],
  ["time", 1, "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos"],
  ["time", 60, "min mins minute minutes minuten minuto minutos"],
  ["time", 3600, "h hr hrs hour hours stunde stunden std heure heures hora horas"],
  ["time", 86_400, "day days tag tage tagen tages jour jours día días dia dias"],
  ["working time", 86_400, "workday workdays arbeitstag arbeitstage arbeitstagen werktag werktage werktagen"],
  ["time", 604_800, "week weeks woche wochen semaine semaines semana semanas"],
  // Months and years are held apart from days by their own base, so that 12 months are exactly one year.
  ["months", 1, "month months monat monate monaten mois mes meses"],
  ["months", 3, "quarter quarters quartal quartale trimestre trimestres"],
  ["months", 12, "year years yr yrs jahr jahre jahren ans année années año años"],
  ["bytes", 1, "b byte bytes octet octets"],
  ["bytes", 1e3, "kb kilobyte kilobytes ko"],
  ["bytes", 1e6, "mb megabyte megabytes mo"],
  ["bytes", 1e9, "gb gigabyte gigabytes go"],
  ["bytes", 1e12, "tb terabyte terabytes to"],
  ["bytes", 1e15, "pb petabyte petabytes"],
  ["bytes", 1024, "kib"],
  ["bytes", 1_048_576, "mib"],
  ["bytes", 1_073_741_824, "gib"],
  ["bytes", 1_099_511_627_776, "tib"],
  ["length", 1e-3, "mm millimetre millimetres millimeter millimeters"],
  ["length", 1e-2, "cm centimetre centimetres centimeter centimeters"],
  ["length", 1, "m metre metres meter meters mètre mètres metro metros"],
  ["length", 1e3, "km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro kilómetros"],
  ["length", 1609.344, "mile miles meile meilen"],
  ["length", 0.3048, "ft foot feet"],
  ["length", 0.0254, "inch inches"],
  ["mass", 1e-3, "mg milligram milligrams"],
  ["mass", 1, "g gram grams gramm gramme grammes gramo gramos"],
  ["mass", 1e3, "kg kilogram kilograms kilo kilos kilogramm"],
  ["mass", 1e6, "t ton tons tonne tonnes tonnen"],
  ["volume", 1e-3, "ml millilitre millilitres milliliter milliliters"],
  ["volume", 1, "litre litres liter liters litro litros"],
  ["power", 1, "w watt watts"],
  ["power", 1e3, "kw kilowatt kilowatts"],
  ["energy", 1, "kwh"],
  ["frequency", 1, "hz"],
  ["frequency", 1e6, "mhz"],
  ["frequency", 1e9, "ghz"],
  ["celsius", 1, "°c celsius"],
  ["fahrenheit", 1, "°f fahrenheit"],
  ["EUR", 1, "€ eur euro euros"],
  ["USD", 1, "$ usd dollar dollars us$ dólar dólares"],
  ["GBP", 1, "£ gbp pounds"],
  ["GBP", 0.01, "p pence penny"],
  ["CHF", 1, "chf franken"],
  ["JPY", 1, "¥ jpy yen 円"],
  ["CNY", 1, "cny yuan 元"],
  ["INR", 1, "₹ inr rupees"],
  ["SEK", 1, "sek"],
  ["ETH", 1, "eth ether"],
  ["wei", 1, "wei"],
  ["wei", 1e9, "gwei"]
]

const measures: ReadonlyMap<string, Measure> = new Map(
  table.flatMap(([dimension, factor, names]) =>
    names.split(" ").map((name) => [name, { dimension, factor }] as const)
  )
)

/** The unit that a word or sign names, in any case; single letters only as they are commonly written. */
export const measureOf = (word: string): Measure | undefined => {
  // French "Go" and "To" are units, English "go" and "to" are not.
  if (/^(?:go|mo|to)$/u.test(word)) return undefined
  if (word.length === 1 && /\p{Lu}/u.test(word) && !/[BW]/u.test(word)) return undefined
  return measures.get(word.toLowerCase())
}

/** The currency before a number ("EUR 5", "$5", "US$5"). */
export const currencyBefore = (text: string, at: number): Measure | undefined => {
  const found = /(?:(US\$|[$€£¥₹])|\b(EUR|USD|GBP|CHF|JPY|CNY|INR|SEK))\s?$/u.exec(
    text.slice(Math.max(0, at - 5), at)
  )
  return found === null ? undefined : measureOf(found[1] ?? found[2] ?? "")
}

const scales: ReadonlyMap<string, number> = new Map(
  (
    [
      [100, "hundred hundert cent cien"],
      [1e3, "k thousand thousands tausend mille mil tsd tsd."],
      [1e6, "million millions mio mio. mn millionen millones millón"],
      // "M" alone is told from metres by its case: see scaleOf.
      [1e9, "billion billions bn milliarde milliarden mrd mrd. milliard milliards"],
      [1e12, "trillion trillions billionen"]
    ] as const
  ).flatMap(([factor, names]) => names.split(" ").map((name) => [name, factor] as const))
)

/** What a word multiplies a number by; 1e6 for a capital "M". A lower-case "m" is a metre or a minute. */
export const scaleOf = (word: string): number | undefined =>
  word === "M" ? 1e6 : word === "B" ? undefined : scales.get(word.toLowerCase())

const small = [
  "zero null zéro cero",
  "",
  "two zwei deux dos",
  "three drei trois tres",
  "four vier quatre cuatro",
  "five fünf cinq cinco",
  "six sechs seis",
  "seven sieben sept siete",
  "eight acht huit ocho",
  "nine neun neuf nueve",
  "ten zehn dix diez",
  "eleven elf onze once",
  "twelve zwölf douze doce",
  "thirteen dreizehn treize trece",
  "fourteen vierzehn quatorze catorce",
  "fifteen fünfzehn quinze quince",
  "sixteen sechzehn seize dieciséis",
  "seventeen siebzehn diecisiete",
  "eighteen achtzehn dieciocho",
  "nineteen neunzehn diecinueve"
]
const tens = [
  "twenty zwanzig vingt veinte",
  "thirty dreißig dreissig trente treinta",
  "forty vierzig quarante cuarenta",
  "fifty fünfzig cinquante cincuenta",
  "sixty sechzig soixante sesenta",
  "seventy siebzig septante setenta",
  "eighty achtzig huitante ochenta",
  "ninety neunzig nonante noventa"
]

const words: ReadonlyMap<string, number> = new Map([
  ...small.flatMap((names, value) =>
    names.split(" ").flatMap((name) => (name === "" ? [] : [[name, value] as const]))
  ),
  ...tens.flatMap((names, index) => names.split(" ").map((name) => [name, (index + 2) * 10] as const)),
  ...[2, 3, 4, 5, 6, 7, 8, 9].flatMap((unit) =>
    tens.map((names, index) => {
      const [ten = ""] = names.split(" ")
      return [`${ten}-${(small[unit] ?? "").split(" ")[0]}`, (index + 2) * 10 + unit] as const
    })
  ),
  ["dozen", 12],
  ["dutzend", 12],
  ["douzaine", 12],
  ["docena", 12]
])

/**
 * The number that a word spells (two to ninety-nine and a few more; English, German, French, Spanish). "One"
 * and its sisters are articles more often than numbers and count as none. "elf" and "once" count by language
 * of their neighbours only: see values.ts.
 */
export const numberWord = (word: string): number | undefined => {
  const lower = word.toLowerCase()
  if (lower === "once" || lower === "elf" || lower === "null" || lower === "cent" || lower === "mil")
    return undefined
  return words.get(lower)
}
