import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react"
import { KanonApiError } from "../../../server/client/index.js"
import { basePath } from "../api/connection.js"
import { passkeyProblem, signInWithPasskey } from "../api/passkeys.js"
import { type SignInOffer, useSessionState } from "../api/session.js"
import { Button } from "../components/button.js"
import { ErrorNote } from "../components/error.js"
import { strings } from "../strings.js"
import { LanguageChoice } from "./language-choice.js"

const texts = strings.signIn

/** The whole window, before the first sign-in. */
export const SignInPage = ({
  offer,
  failure
}: {
  readonly offer: SignInOffer
  readonly failure: unknown
}): ReactNode => {
  const code = new URLSearchParams(location.search).get("signInError")
  useEffect(() => {
    document.title = texts.title
  }, [])
  return (
    <main className="sign-in-page">
      <div className="sign-in-card">
        <span className="brand-mark" aria-hidden="true" />
        <h1>{texts.title}</h1>
        <ErrorNote error={failure ?? (code === null ? null : new Error(texts.errors(code)))} />
        <SignInForm offer={offer} />
        <LanguageChoice />
      </div>
    </main>
  )
}

/** Over the page when a session has ended. It does not unmount the page, so what was typed stays. */
export const SignInOver = ({ offer }: { readonly offer: SignInOffer }): ReactNode => {
  const place = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = place.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog ref={place} className="dialog" aria-labelledby={id} onCancel={(event) => event.preventDefault()}>
      <div className="dialog-body">
        <h2 id={id}>{texts.again}</h2>
        <p className="muted">{texts.againHint}</p>
        <SignInForm offer={offer} />
      </div>
    </dialog>
  )
}

const SignInForm = ({ offer }: { readonly offer: SignInOffer }): ReactNode => {
  const { begin, signIn } = useSessionState()
  const [key, setKey] = useState("")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const hint = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await signIn({ key: key.trim() })
    } catch (failure) {
      const unknown = failure instanceof KanonApiError && failure.status === 401
      setError(unknown ? new Error(texts.failed) : failure)
    } finally {
      setBusy(false)
    }
  }
  const showPasskey = async () => {
    setBusy(true)
    setError(null)
    try {
      begin(await signInWithPasskey())
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  if (offer.problem !== null)
    return (
      <div
        className="error-note"
        role="alert"
        data-testid="error"
        data-code="insecure_connection"
        data-request-id=""
      >
        <p>
          <strong>{texts.problem}</strong>
        </p>
        <p>{offer.problem}</p>
      </div>
    )
  const withOidc = offer.methods.includes("oidc")
  const withPasskey = offer.methods.includes("passkey")
  const problem = withPasskey ? passkeyProblem() : null
  const returnTo = location.pathname.slice(basePath.length) + location.search
  return (
    <div className="stack">
      {withPasskey && problem === null && (
        <Button
          kind="primary"
          className="block"
          data-testid="sign-in-passkey"
          busy={busy}
          onClick={() => void showPasskey()}
        >
          {texts.passkey}
        </Button>
      )}
      {problem !== null && (
        <p className="field-hint">
          {problem.text} {problem.href !== null && <a href={problem.href}>{texts.atName}</a>}
        </p>
      )}
      {withOidc && (
        <a
          className="button primary block"
          data-testid="sign-in-oidc"
          href={`${basePath}/console/oidc/start?returnTo=${encodeURIComponent(returnTo)}`}
        >
          {texts.oidc}
        </a>
      )}
      {(withOidc || withPasskey) && offer.methods.includes("key") && <p className="divider">{texts.or}</p>}
      {offer.methods.includes("key") && (
        <form className="stack" onSubmit={(event) => void submit(event)}>
          <label className="field">
            <span className="field-label">{texts.key}</span>
            <input
              data-testid="sign-in-key"
              type="password"
              autoComplete="off"
              spellCheck={false}
              required
              aria-describedby={hint}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          </label>
          <p id={hint} className="field-hint">
            {texts.keyHint} {texts.keyFrom}
          </p>
          <ErrorNote error={error} />
          <Button
            data-testid="sign-in-submit"
            type="submit"
            kind={withOidc || (withPasskey && problem === null) ? "plain" : "primary"}
            busy={busy}
          >
            {texts.submit}
          </Button>
        </form>
      )}
    </div>
  )
}
