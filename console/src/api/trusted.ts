/**
 * The only policy that the page's Trusted Types allow. HTML is given to an inert parser alone, whose result is read
 * element by element (`kanon/react`, safe-html); script addresses are those of this page's own workers.
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
      throw new TypeError("A worker's program comes from this server.")
    return url
  }
}

const factory = (globalThis as { readonly trustedTypes?: TrustedTypesFactory }).trustedTypes
const policy: TrustedPolicy = factory?.createPolicy("kanon", rules) ?? rules

/** HTML for a parser that runs nothing: never for a live element. */
export const inertHtml = (html: string): string => policy.createHTML(html) as string

/** Starts a worker of this console: `startWorker(layoutUrl)` after `import layoutUrl from "./layout.ts?worker&url"`. */
export const startWorker = (url: string): Worker =>
  new Worker(policy.createScriptURL(url) as string, { type: "module" })
