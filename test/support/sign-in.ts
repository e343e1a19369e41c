import { type Browser, origin, request, sessionBrowser } from "./browser.js"
import type { IdentityProvider } from "./identity-provider.js"
import type { TestServer } from "./server.js"

/** How a sign-in through a provider ended, and where the browser was led. */
export interface ProviderSignIn {
  readonly address: URL
  readonly started: Awaited<ReturnType<typeof request>>
  readonly ended: Awaited<ReturnType<typeof request>>
  readonly location: string | null
}

/** Goes to the provider and comes back, as the person of the claims. */
export const signInAt = async (
  server: TestServer,
  provider: IdentityProvider,
  claims: Readonly<Record<string, unknown>>,
  {
    change = () => {},
    returnTo = "/documents"
  }: { readonly change?: (back: URL) => void; readonly returnTo?: string } = {}
): Promise<ProviderSignIn> => {
  const started = await request(server, "GET", `/console/oidc/start?returnTo=${encodeURIComponent(returnTo)}`)
  const address = new URL(started.headers.get("location") ?? "")
  const [cookie = ""] = (started.headers.get("set-cookie") ?? "").split(";", 1)
  for (const name of Object.keys(provider.claims)) delete provider.claims[name]
  Object.assign(provider.claims, claims)
  const back = new URL("/console/oidc/callback", origin)
  back.searchParams.set("state", address.searchParams.get("state") ?? "")
  back.searchParams.set("code", provider.codeFor(address.searchParams.get("nonce") ?? ""))
  change(back)
  const ended = await request(server, "GET", back.pathname + back.search, { headers: { cookie } })
  return { address, started, ended, location: ended.headers.get("location") }
}

/** The cookie of the session that an answer begins. */
export const sessionIn = (headers: Headers): string | undefined =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith("__Host-kanon="))
    ?.split(";", 1)[0]

/** Signs in through a provider and returns the page. */
export const browserAt = async (
  server: TestServer,
  provider: IdentityProvider,
  claims: Readonly<Record<string, unknown>>
): Promise<Browser> => {
  const { ended, location } = await signInAt(server, provider, claims)
  const cookie = sessionIn(ended.headers)
  if (cookie === undefined) throw new Error(`Signing in led to ${location}.`)
  const { body } = await request(server, "GET", "/console/session", { headers: { cookie } })
  return sessionBrowser(server, body, cookie)
}
