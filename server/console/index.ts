import type { AppOptions, ConsoleRoutes } from "../http/app.js"
import { fileForSession } from "../http/files.js"
import type { FetchMetadata } from "../sign-in/clients.js"
import type { SignInConfig } from "../sign-in/metadata.js"
import { signInRoutes } from "../sign-in/routes.js"
import { makeAttempts } from "./attempts.js"
import type { ConsoleConfig } from "./cookies.js"
import { oidcRoutes } from "./oidc.js"
import { makePages, safeHeaders } from "./pages.js"
import { passkeyRoutes } from "./passkeys.js"
import { consoleRows } from "./rows.js"
import { seeingAs } from "./seeing-as.js"
import { sessionAdmission, sessionRoutes } from "./session-routes.js"

/** Everything that the console adds to the API. */
export const consoleRoutes = (
  config: ConsoleConfig & SignInConfig,
  runtime: AppOptions["runtime"],
  folder?: string,
  fetchMetadata?: FetchMetadata
): ConsoleRoutes => {
  const attempts = makeAttempts()
  const pages = makePages(config, folder)
  const admission = seeingAs(sessionAdmission(config))
  const files = fileForSession(admission, runtime)
  return {
    admission,
    rows: consoleRows(config),
    open: [
      ...sessionRoutes(config, runtime, attempts),
      ...passkeyRoutes(config, runtime, attempts),
      ...oidcRoutes(config, runtime),
      ...signInRoutes(config, runtime, fetchMetadata)
    ],
    headers: safeHeaders,
    rest: async (request, url, requestId) => {
      const response = (await files(request, url, requestId)) ?? (await pages(request, url, requestId))
      return response === null ? null : { response, admitted: null, error: null }
    }
  }
}
