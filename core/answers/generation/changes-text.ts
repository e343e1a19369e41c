import type { SpokenLanguage } from "../../language/languages/index.js"

/** A change of a statement in words: since when, and what was said before and after; null for what was not there. */
export interface ChangeInWords {
  readonly day: string
  readonly version: number
  readonly before: string | null
  readonly after: string | null
}

/** Returns the claim that a statement changed, in a language. */
export const changeText = (
  { after, before, day, version }: ChangeInWords,
  language: SpokenLanguage
): string => {
  const words = texts[language]
  const since = words.since(day, version)
  const [now, then] = [after, before].map((text) => (text === null ? null : words.quote(text)))
  if (now == null) return `${since}${words.removed} ${then ?? ""}`
  if (then == null) return `${since}${words.added} ${now}`
  return `${since}${words.changed} ${now} ${words.before} ${then}`
}

interface Words {
  readonly since: (day: string, version: number) => string
  readonly changed: string
  readonly before: string
  readonly added: string
  readonly removed: string
  readonly quote: (text: string) => string
}

const curly = (text: string): string => `“${text}”`

const texts: Readonly<Record<SpokenLanguage, Words>> = {
  en: {
    since: (day, version) => `Since ${day} (version ${version})`,
    changed: ":",
    before: "Before:",
    added: ", new:",
    removed: ", no longer:",
    quote: curly
  },
  de: {
    since: (day, version) => `Seit ${day} (Version ${version})`,
    changed: ":",
    before: "Davor:",
    added: ", neu:",
    removed: ", nicht mehr:",
    quote: (text) => `„${text}“`
  },
  fr: {
    since: (day, version) => `Depuis le ${day} (version ${version})`,
    changed: " :",
    before: "Avant :",
    added: ", nouveau :",
    removed: ", supprimé :",
    quote: (text) => `« ${text} »`
  },
  es: {
    since: (day, version) => `Desde el ${day} (versión ${version})`,
    changed: ":",
    before: "Antes:",
    added: ", nuevo:",
    removed: ", ya no:",
    quote: (text) => `«${text}»`
  },
  ru: {
    since: (day, version) => `С ${day} (версия ${version})`,
    changed: ":",
    before: "Раньше:",
    added: ", новое:",
    removed: ", больше нет:",
    quote: (text) => `«${text}»`
  },
  ja: {
    since: (day, version) => `${day}以降（バージョン${version}）`,
    changed: "：",
    before: "以前：",
    added: "、追加：",
    removed: "、削除：",
    quote: (text) => `「${text}」`
  },
  zh: {
    since: (day, version) => `自${day}起（版本${version}）`,
    changed: "：",
    before: "此前：",
    added: "，新增：",
    removed: "，删除：",
    quote: curly
  }
}
