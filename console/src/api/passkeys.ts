import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON
} from "@simplewebauthn/browser"
import type { Session } from "../../../server/console/model.js"
import { strings } from "../strings.js"
import { callOwn } from "./connection.js"

// Passkeys of the browser. What talks to authenticators is loaded where a passkey is used.

/** Why this page cannot use passkeys, with the address at which it can; null where it can. */
export const passkeyProblem = (): { readonly text: string; readonly href: string | null } | null => {
  // The browser binds passkeys to a name, and an address is none.
  if (/^[\d.]+$|^\[/.test(location.hostname)) {
    const isOwnMachine = location.hostname.startsWith("127.") || location.hostname === "[::1]"
    const href = isOwnMachine ? location.href.replace(location.host, `localhost:${location.port}`) : null
    return { text: strings.passkeys.needsName, href }
  }
  return window.PublicKeyCredential === undefined ? { text: strings.passkeys.unsupported, href: null } : null
}

/** The message for a person who closed the dialog of the browser, or whose device refused. */
const inWords = (error: unknown): unknown => {
  const name = error instanceof Error ? error.name : ""
  if (name === "NotAllowedError" || name === "AbortError") return new Error(strings.passkeys.cancelled)
  if (name === "InvalidStateError") return new Error(strings.passkeys.known)
  return error
}

/** Makes a passkey for the options of a path and returns what its authenticator says. */
export const makePasskey = async (optionsPath: string, body: object): Promise<object> => {
  const optionsJSON = await callOwn<PublicKeyCredentialCreationOptionsJSON>(optionsPath, {
    method: "POST",
    body
  })
  const { startRegistration } = await import("@simplewebauthn/browser")
  try {
    return await startRegistration({ optionsJSON })
  } catch (error) {
    throw inWords(error)
  }
}

/** Signs in with a passkey that the person chooses. */
export const signInWithPasskey = async (): Promise<Session> => {
  const optionsJSON = await callOwn<PublicKeyCredentialRequestOptionsJSON>("sign-in/options", {
    method: "POST",
    body: {}
  })
  const { startAuthentication } = await import("@simplewebauthn/browser")
  try {
    const response = await startAuthentication({ optionsJSON })
    return await callOwn<Session>("sign-in", { method: "POST", body: { response } })
  } catch (error) {
    throw inWords(error)
  }
}
