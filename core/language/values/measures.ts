import { currencyOf } from "./currencies.js"

/** A unit comparable with others of its dimension: value × factor is in the dimension's base unit. */
export interface Measure {
  readonly dimension: string
  readonly factor: number
}

/** Units, one a line: dimension, factor to the base unit of the dimension, and names. */
const unitsIn = (table: string): ReadonlyArray<readonly [name: string, measure: Measure]> =>
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [dimension = "", factor, names = ""] = line.split(" | ")
      return names.split(" ").map((name) => [name, { dimension, factor: Number(factor) }] as const)
    })

/** Months and years have their own base, separate from days, so that 12 months are exactly one year. */
const units = unitsIn(`
percent | 1 | % percent pct prozent percentage pourcent porcentaje процент процента проценте проценты процентов процентам процентами
percentage point | 1 | prozentpunkte prozentpunkten prozentpunkt pp
time | 1e-3 | ms msec millisecond milliseconds millisekunde millisekunden миллисекунда миллисекунды миллисекунд мс
time | 1 | s sec secs second seconds sekunde sekunden seconde secondes segundo segundos секунда секунды секунд секунду секунде сек
time | 60 | min mins minute minutes minuten minuto minutos минута минуты минут минуту минуте минутам мин
time | 3600 | h hr hrs hour hours stunde stunden std heure heures hora horas час часа часов часу часам часами ч
time | 86400 | day days tag tage tagen tages jour jours día días dia dias день дня дней дню дням днями сутки суток
working time | 86400 | workday workdays arbeitstag arbeitstage arbeitstagen werktag werktage werktagen arbeitstages werktages
time | 604800 | week weeks woche wochen semaine semaines semana semanas неделя недели недель неделю неделе неделям
months | 1 | month months monat monate monaten monats mois mes meses месяц месяца месяцев месяцу месяце месяцам
months | 3 | quarter quarters quartal quartale trimestre trimestres квартал квартала кварталов квартале
months | 12 | year years yr yrs jahr jahre jahren jahres ans année années año años год года году годы годов лет
bytes | 1 | b byte bytes octet octets байт байта байтов
bytes | 1e3 | kb kilobyte kilobytes ko кб килобайт килобайта
bytes | 1e6 | mb megabyte megabytes mo мб мегабайт мегабайта
bytes | 1e9 | gb gigabyte gigabytes go гб гигабайт гигабайта
bytes | 1e12 | tb terabyte terabytes to тб терабайт терабайта
bytes | 1e15 | pb petabyte petabytes
bytes | 0.125 | bit bits
bytes | 125 | kbit
bytes | 125e3 | mbit
bytes | 125e6 | gbit
bytes | 1024 | kib
bytes | 1048576 | mib
bytes | 1073741824 | gib
bytes | 1099511627776 | tib
length | 1e-3 | mm millimetre millimetres millimeter millimeters millimetern millimètre millimètres мм миллиметр миллиметра миллиметров
length | 1e-2 | cm centimetre centimetres centimeter centimeters zentimeter zentimetern centimètre centimètres см сантиметр сантиметра сантиметров
length | 1 | m metre metres meter meters mètre mètres metro metros metern м метр метра метров
length | 1e3 | km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro kilómetros kilometern км километр километра километров
length | 1609.344 | mile miles meile meilen
length | 0.3048 | ft foot feet
length | 0.9144 | yd yard yards
length | 0.0254 | inch inches
mass | 1e-3 | mg milligram milligrams milligramm milligramme milligrammes мг миллиграмм миллиграмма миллиграммов
mass | 1 | g gram grams gramm gramme grammes gramo gramos г грамм грамма граммов граммы
mass | 1e3 | kg kilogram kilograms kilo kilos kilogramm kilogramme kilogrammes кг килограмм килограмма килограммов
mass | 453.59237 | lb lbs
mass | 28.349523125 | oz ounce ounces
mass | 1e6 | t ton tons tonne tonnes tonnen т тонна тонны тонн тонну
volume | 1e-3 | ml millilitre millilitres milliliter milliliters мл миллилитр миллилитра миллилитров
volume | 1e-2 | cl centilitre centilitres zentiliter
volume | 0.1 | dl decilitre decilitres deziliter
volume | 1e2 | hl hectolitre hectolitres hektoliter
volume | 1e3 | m³ m3
volume | 3.785411784 | gallon gallons gallonen galones
volume | 1 | litre litres liter liters litern litro litros l л литр литра литров
power | 1 | w watt watts вт ватт
power | 1e3 | kw kilowatt kilowatts kilovatio kilovatios квт киловатт
power | 1e6 | mw megawatt megawatts megavatio megavatios
power | 1e9 | gw gigawatt gigawatts gigavatio gigavatios
energy | 1e-3 | wh
energy | 1 | kwh квтч
energy | 1e3 | mwh
energy | 1e6 | gwh
force | 1 | newton newtons
force | 1e3 | kn
torque | 1 | nm newtonmeter newtonmetre newtonmetres newton-metres
torque | 1e3 | knm
current | 1 | amp amps ampere amperes
current | 1e-3 | ma milliamp milliamps
sound | 1 | db decibel decibels dezibel
area | 1 | m² m2 sqm
area | 1e4 | ha hectare hectares hektar hectárea hectáreas
area | 1e6 | km² km2
area | 4046.8564224 | acre acres
rotation | 1 | rpm u/min
angle | 1 | ° degree degrees grad grado grados
frequency | 1 | hz
frequency | 1e6 | mhz
frequency | 1e9 | ghz
frequency | 1e3 | khz
pressure | 1 | pa pascal
pressure | 100 | hpa mbar millibar
pressure | 1e3 | kpa
pressure | 1e5 | bar bars
pressure | 1e6 | mpa
pressure | 6894.76 | psi
speed | 1 | km/h kmh kph км/ч
speed | 3.6 | m/s м/с
speed | 1.609344 | mph
speed | 1.852 | knots knot knoten nœuds nudos узлов
voltage | 1 | v volt volts вольт
voltage | 1e3 | kv kilovolt kilovolts
celsius | 1 | °c celsius
fahrenheit | 1 | °f fahrenheit
EUR | 1 | € eur euro euros евро
USD | 1 | $ usd dollar dollars us$ dólar dólares доллар доллара долларов
GBP | 1 | £ gbp pounds
GBP | 0.01 | p pence penny
CHF | 1 | chf franken
RUB | 1 | ₽ rub руб рубль рубля рублей рублю рублям
JPY | 1 | ¥ jpy yen
CNY | 1 | cny yuan
INR | 1 | ₹ inr rupees
SEK | 1 | sek
ETH | 1 | eth ether
wei | 1 | wei
wei | 1e9 | gwei
`)

/** Chinese and Japanese units, which have no word boundary after them. */
const unspacedUnits = unitsIn(`
percent | 1 | パーセント
time | 1 | 秒間 秒钟 秒鐘 秒
time | 60 | 分間 分钟 分鐘 分
time | 3600 | 時間 小时 小時
time | 86400 | 日間 天
time | 604800 | 週間 周 週 星期
months | 1 | か月 ヶ月 カ月 ケ月 箇月 个月 個月
months | 12 | 年間 年
bytes | 1e3 | キロバイト
bytes | 1e6 | メガバイト
bytes | 1e9 | ギガバイト
bytes | 1e12 | テラバイト
length | 1e-3 | ミリメートル 毫米
length | 1e-2 | センチメートル センチ 厘米 公分
length | 1e3 | キロメートル 公里 千米
length | 1 | メートル 公尺 米
mass | 1e-3 | ミリグラム 毫克
mass | 1e3 | キログラム 公斤 千克
mass | 1 | グラム 克
mass | 1e6 | トン 公吨 公噸 吨 噸
volume | 1e-3 | ミリリットル 毫升
volume | 1 | リットル 升
power | 1e3 | キロワット 千瓦
power | 1 | ワット 瓦
JPY | 1 | 円
USD | 1 | 米ドル 美元 ドル
EUR | 1 | ユーロ 欧元 歐元
GBP | 1 | 英镑 英鎊
CNY | 1 | 人民币 人民幣 元 块 塊
`)

/** Longer ones first. */
export const unspacedMeasures: ReadonlyArray<string> = unspacedUnits
  .map(([name]) => name)
  .sort((a, b) => b.length - a.length)

const measures: ReadonlyMap<string, Measure> = new Map([...units, ...unspacedUnits])

/** Units that only their case tells apart: kilonewtons and knots, megawatts and milliwatts. */
const cased: ReadonlyMap<string, Measure> = new Map([
  ["N", { dimension: "force", factor: 1 }],
  ["kn", { dimension: "speed", factor: 1.852 }],
  ["mW", { dimension: "power", factor: 1e-3 }]
])

/** Returns the unit of a word or symbol, in any case; single letters only in their common case. */
export const measureOf = (word: string): Measure | undefined => {
  // French "Go" and "To" are units, English "go" and "to" are not.
  if (/^(?:go|mo|to)$/u.test(word)) return undefined
  if (word.length === 1 && /\p{Lu}/u.test(word) && !/[BLNVW]/u.test(word)) return undefined
  if (word === "v" || /^[mM]a$/u.test(word)) return undefined
  return cased.get(word) ?? measures.get(word.toLowerCase())
}

export const hanDigits = "〇零一二三四五六七八九两兩十百千万萬"
const hanPowers: ReadonlyMap<string, number> = new Map([
  ["十", 10],
  ["百", 100],
  ["千", 1e3]
])

/** Parses a number in Chinese characters: 三百二十, 一万二千, 二〇二六; undefined for anything else. */
export const numberInHan = (written: string): number | undefined => {
  const [below = "", ...rest] = written.split(/[万萬]/u).reverse()
  if (rest.length > 1) return undefined
  const [low, high] = [belowTenThousand(below), rest[0] === undefined ? 0 : belowTenThousand(rest[0])]
  if (low === undefined || high === undefined || (rest.length > 0 && high === 0)) return undefined
  return high * 1e4 + low
}

const belowTenThousand = (written: string): number | undefined => {
  let [sum, digit]: [number, number | null] = [0, null]
  for (const sign of written) {
    const power = hanPowers.get(sign)
    const value = "〇一二三四五六七八九".indexOf(sign === "零" ? "〇" : /[两兩]/u.test(sign) ? "二" : sign)
    if (power !== undefined) [sum, digit] = [sum + (digit ?? 1) * power, null]
    else if (value < 0) return undefined
    // Adjacent digits form one number: 二〇二六.
    else digit = (digit ?? 0) * 10 + value
  }
  return sum + (digit ?? 0)
}

/** Returns the currency before a number ("EUR 5", "$5", "US$5"). */
export const currencyBefore = (text: string, at: number): Measure | undefined => {
  const found = /(?:(US\$|R\$|\p{Sc})|(?<!\p{L})(\p{Lu}{3}|kr\.?))[\s\u00a0]?$/u.exec(
    text.slice(Math.max(0, at - 5), at)
  )
  const word = (found?.[1] ?? found?.[2] ?? "").replace(/\.$/u, "")
  return word === "" ? undefined : (measureOf(word) ?? currencyOf(word))
}

const scales: ReadonlyMap<string, number> = new Map(
  (
    [
      [100, "hundred hundert cent cien"],
      [1e3, "k thousand thousands tausend mille mil tsd tsd. тысяча тысячи тысяч тысячу тыс"],
      [1e6, "million millions mio mio. mn millionen millones millón миллион миллиона миллионов млн"],
      // Only the case distinguishes "M" from metres: see scaleOf.
      [
        1e9,
        "billion billions bn milliarde milliarden mrd mrd. milliard milliards миллиард миллиарда миллиардов млрд"
      ],
      [1e4, "万 萬"],
      [1e8, "亿 億"],
      [1e12, "trillion trillions billionen"]
    ] as const
  ).flatMap(([factor, names]) => names.split(" ").map((name) => [name, factor] as const))
)

/** Returns the factor of a scale word; 1e6 for a capital "M". A lower-case "m" is a metre or a minute. */
export const scaleOf = (word: string): number | undefined =>
  word === "M" ? 1e6 : word === "B" ? undefined : scales.get(word.toLowerCase())

const small = [
  "zero null zéro cero ноль нуля",
  "",
  "two zwei deux dos два две двух двум двумя",
  "three drei trois tres три трёх трех трём трем тремя",
  "four vier quatre cuatro четыре четырёх четырех четырём четырем",
  "five fünf cinq cinco пять пяти пятью",
  "six sechs seis шесть шести шестью",
  "seven sieben sept siete семь семи",
  "eight acht huit ocho восемь восьми",
  "nine neun neuf nueve девять девяти",
  "ten zehn dix diez десять десяти",
  "eleven elf onze once одиннадцать одиннадцати",
  "twelve zwölf douze doce двенадцать двенадцати",
  "thirteen dreizehn treize trece тринадцать тринадцати",
  "fourteen vierzehn quatorze catorce четырнадцать четырнадцати",
  "fifteen fünfzehn quinze quince пятнадцать пятнадцати",
  "sixteen sechzehn seize dieciséis шестнадцать шестнадцати",
  "seventeen siebzehn dix-sept diecisiete семнадцать семнадцати",
  "eighteen achtzehn dix-huit dieciocho восемнадцать восемнадцати",
  "nineteen neunzehn dix-neuf diecinueve девятнадцать девятнадцати"
]
const tens = [
  "twenty zwanzig vingt veinte двадцать двадцати",
  "thirty dreißig dreissig trente treinta тридцать тридцати",
  "forty vierzig quarante cuarenta сорок сорока",
  "fifty fünfzig cinquante cincuenta пятьдесят пятидесяти",
  "sixty sechzig soixante sesenta шестьдесят шестидесяти",
  "seventy siebzig septante soixante-dix setenta семьдесят семидесяти",
  "eighty achtzig huitante quatre-vingt quatre-vingts ochenta восемьдесят восьмидесяти",
  "ninety neunzig nonante quatre-vingt-dix noventa девяносто девяноста"
]

const frenchUnits =
  "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf".split(
    " "
  )
/** Bases of French numerals and how far they extend: `quatre-vingt-douze`. */
const frenchTens: ReadonlyArray<readonly [ten: string, value: number, most: number]> = [
  ["vingt", 20, 9],
  ["trente", 30, 9],
  ["quarante", 40, 9],
  ["cinquante", 50, 9],
  ["soixante", 60, 19],
  ["septante", 70, 9],
  ["huitante", 80, 9],
  ["nonante", 90, 9],
  ["quatre-vingt", 80, 19]
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
  ...["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"].flatMap((unit, at) =>
    tens.flatMap((names, index) =>
      names
        .split(" ")
        .slice(1, 3)
        .map((ten) => [`${unit}und${ten}`, (index + 2) * 10 + at + 1] as const)
    )
  ),
  ...frenchTens.flatMap(([ten, value, most]) =>
    frenchUnits.slice(0, most).map((unit, at) => [`${ten}-${unit}`, value + at + 1] as const)
  ),
  ...[
    "ciento",
    "doscientos doscientas",
    "trescientos trescientas",
    "cuatrocientos cuatrocientas",
    "quinientos quinientas",
    "seiscientos seiscientas",
    "setecientos setecientas",
    "ochocientos ochocientas",
    "novecientos novecientas"
  ].flatMap((names, at) => names.split(" ").map((name) => [name, (at + 1) * 100] as const)),
  ["dozen", 12],
  ["dutzend", 12],
  ["douzaine", 12],
  ["docena", 12]
])

/**
 * Returns the number that a word spells (two to ninety-nine and a few more; English, German, French, Spanish,
 * Russian). "One" and its translations are usually articles and do not count. "elf" and "once" depend on their
 * context: see values.ts.
 */
export const numberWord = (word: string): number | undefined => {
  const lower = word.toLowerCase()
  const value = words.get(lower)
  if (value === undefined) return undefined
  if (lower === "once" || lower === "elf" || lower === "null" || lower === "cent" || lower === "mil")
    return undefined
  return value
}

/** Returns all words that spell a number by themselves, with their numbers. */
export const numberWords = (): ReadonlyArray<readonly [word: string, value: number]> =>
  [...words].filter(([word]) => numberWord(word) !== undefined)
