import { memoize } from "../../platform/caching/index.js"
import { normalForm } from "../../platform/kernel/index.js"

/**
 * Top-level domains by which programs recognise an address without scheme and path: all of two letters, and these. A
 * host with a port, a path or a query counts as an address whatever it ends in.
 */
const domains =
  "com|org|net|edu|gov|mil|int|info|biz|name|pro|aero|coop|app|dev|cloud|site|online|store|shop|tech|xyz|top|club|live|link|click|page|web|website|space|icu|vip|work|world|today|email|network|systems|services|agency|digital|media|news|blog|wiki|zip|mov|onion|example|test|invalid|local|localhost|internal|arpa"

/** Endings of two letters that name a kind of file more often than a country. */
const fileEndings = "cc|cs|go|js|md|pl|ps|py|rb|rs|sh|so|ts|vb"

const path = "[^\\s<>()[\\]\"'`]*"
/** Pattern for text after a host that continues the address and does not end the sentence. */
const more = "(?=[/#\\\\]|\\?[\\p{L}\\p{N}])"
const labels = "(?<![\\p{L}\\p{N}_.-])(?:[\\p{L}\\p{N}_-]+\\.)+"

/**
 * Matches text that a program could take for an address: a scheme with slashes of either kind; a scheme that acts
 * without them; a mail address; a host with port, path or query; a host alone.
 */
const addressPattern = new RegExp(
  [
    `(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}:[/\\\\]{2,}${path}`,
    `(?<![a-z])https?:[/\\\\]?(?=[\\p{L}\\p{N}])${path}`,
    `(?<![a-z])(?:mailto|xmpp|javascript|vbscript|tel|sms):(?=\\S)${path}`,
    `(?<![a-z])data:[a-z]+/${path}`,
    `(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+-]+@(?:[\\p{L}\\p{N}_-]+\\.)+\\p{L}{2,24}`,
    `${labels}(?:\\p{L}{2,24}|xn--[a-z0-9-]+)\\.?(?::\\d{1,5}|${more})${path}`,
    `(?<![\\d.])(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d{1,5}|${more})${path}`,
    `(?<![\\p{L}\\p{N}_.-])localhost(?::\\d{1,5}|(?=/))${path}`,
    `(?<![\\p{L}\\p{N}_.-])www\\.${path}`,
    `${labels}(?:${domains}|(?!(?:${fileEndings})(?![a-z]))[a-z]{2})(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_])`
  ].join("|"),
  "giu"
)

const holdsAddress = new RegExp(addressPattern.source, "iu")

/** A sentence that lacks the blank after its full stop is no host. */
const isSentenceEnd = (found: string): boolean => /^[^.]+\.[A-Z][a-z]$/.test(found)

/** An address without the stop of its sentence; compared letter for letter. */
const keyOf = (address: string): string => address.replace(/(?<![.,;:!?*_])[.,;:!?*_]+$/u, "")

/** The addresses of the evidence: the same for the prose and each claim. */
const shownIn = memoize((texts: ReadonlyArray<string>): ReadonlySet<string> => {
  const shown = new Set<string>()
  for (const text of texts)
    for (const [found] of text.matchAll(addressPattern)) {
      const key = keyOf(found)
      shown.add(key)
      shown.add(key.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/|mailto:)/u, ""))
    }
  return shown
})

/**
 * Returns the prose without the addresses that no text of the evidence shows: what a reader's client loads or a reader
 * opens could carry away what the model has read.
 */
export const withoutForeignAddresses = (prose: string, evidenceTexts: ReadonlyArray<string>): string =>
  plainSpelling(prose).replace(addressPattern, (found) =>
    isSentenceEnd(found) || shownIn(evidenceTexts).has(keyOf(found)) ? found : ""
  )

/**
 * Writes addresses in characters that only look like letters, dots and slashes in plain ones. Words without an
 * address stay as they are.
 */
const plainSpelling = (prose: string): string =>
  prose.replace(/\S+/gu, (word) => {
    if (/^[\0-\x7f]*$/.test(word)) return word
    const plain = normalForm(
      word.replace(/(?<=[\w\uff10-\uff5a-])[\u3002\uff61](?=[\w\uff10-\uff5a])/gu, "."),
      "NFKC"
    ).replace(/[\u2044\u2215\u29f8]/gu, "/")
    return plain !== word && holdsAddress.test(plain) ? plain : word
  })
