/**
 * The Trusted Types policy `kanon`. HTML is given to an inert parser alone, whose result is read element by element
 * (safe-html); script addresses are those of workers of this page's own origin.
 */
interface TrustedPolicy {
  readonly createHTML: (html: string) => unknown
  readonly createScriptURL: (url: string) => unknown
}
interface TrustedTypesFactory {
  readonly createPolicy: (
    name: string,
    rules: { createHTML: (html: string) => string; createScriptURL: (url: string) => string }
  ) => TrustedPolicy
}

const rules = {
  createHTML: (html: string) => html,
  createScriptURL: (url: string) => {
    if (new URL(url, document.baseURI).origin !== location.origin)
      throw new TypeError("A worker's program comes from the page's own server.")
    return url
  }
}

let made: TrustedPolicy | undefined
/** Made once: browsers refuse a second policy of the same name. */
const policy = (): TrustedPolicy => {
  const factory = (globalThis as { readonly trustedTypes?: TrustedTypesFactory }).trustedTypes
  made ??= factory?.createPolicy("kanon", rules) ?? rules
  return made
}

/** Parses HTML into a document that runs and loads nothing. */
export const parseInert = (html: string): Document =>
  new DOMParser().parseFromString(policy().createHTML(html) as string, "text/html")

/** Starts a module worker from an address of this origin. */
export const startWorker = (url: string): Worker =>
  new Worker(policy().createScriptURL(url) as string, { type: "module" })
