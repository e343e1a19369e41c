import { addWords, currentLanguage } from "./language.js"
import { strings } from "./strings.js"

const slot = "kanon.reloaded"

/** Texts of the pages in the current language; English ones come with their pages. */
const loadWords = async (): Promise<void> => {
  if (currentLanguage() === "de") addWords(await import("./strings/de/pages.js"))
}

/**
 * Loads the code of a page. Where that fails and the server answers, the files are those of another version, and the
 * tab is loaded again, once; where the server does not answer, the person is offline.
 */
export const loadPage = async <Module>(load: () => Promise<Module>): Promise<Module> => {
  try {
    // First the texts: a page takes them when its code is loaded.
    await loadWords()
    const loaded = await load()
    sessionStorage.removeItem(slot)
    return loaded
  } catch (error) {
    const isReachable = await fetch(document.baseURI, { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false
    )
    if (!isReachable) throw new Error(strings.errors.offline, { cause: error })
    if (sessionStorage.getItem(slot) !== null) throw error
    sessionStorage.setItem(slot, "1")
    location.reload()
    return new Promise(() => undefined)
  }
}
