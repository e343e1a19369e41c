import { type ReactNode, useEffect, useState } from "react"
import { useLocation } from "wouter"
import { KanonApiError } from "../../../../server/client/index.js"
import type { Joining, Session } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { makePasskey, passkeyProblem } from "../../api/passkeys.js"
import { useSessionState } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { Loading } from "../../components/states.js"
import { strings } from "../../strings.js"

const texts = strings.join

/** The page of an invitation's link, `/join#WORKSPACE.TOKEN`: a name and a passkey make a member. */
const JoinPage = (): ReactNode => {
  const [invitation] = useState(() => location.hash.slice(1))
  const [joining, setJoining] = useState<Joining | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  useEffect(() => {
    document.title = `${texts.title} · ${strings.product}`
    callOwn<Joining>("join", { method: "POST", body: { invitation } }).then(setJoining, setFailure)
  }, [invitation])
  return (
    <main className="sign-in-page">
      <div className="sign-in-card" data-testid="join">
        <span className="brand-mark" aria-hidden="true" />
        <h1>{joining === null ? texts.title : texts.heading(joining.workspace)}</h1>
        {failure !== null && <ErrorNote error={inWords(failure)} />}
        {joining === null && failure === null && <Loading />}
        {joining !== null && <JoinForm invitation={invitation} joining={joining} />}
      </div>
    </main>
  )
}

const inWords = (failure: unknown): unknown =>
  failure instanceof KanonApiError && failure.status === 404 ? new Error(texts.ended) : failure

const JoinForm = ({
  invitation,
  joining
}: {
  readonly invitation: string
  readonly joining: Joining
}): ReactNode => {
  const { begin } = useSessionState()
  const [, go] = useLocation()
  const [name, setName] = useState(joining.member ?? "")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const problem = passkeyProblem()
  if (problem !== null)
    return (
      <div className="note warn" data-testid="error" data-code="passkeys_unavailable" data-request-id="">
        <p>{problem.text}</p>
        {problem.href !== null && (
          <p>
            <a href={problem.href}>{problem.href.split("#")[0]}</a>
          </p>
        )}
      </div>
    )
  const join = async () => {
    setBusy(true)
    setError(null)
    try {
      const response = await makePasskey("join/options", { invitation, name })
      const session = await callOwn<Session>("join/finish", {
        method: "POST",
        body: { invitation, name, response }
      })
      begin(session)
      go("/", { replace: true })
    } catch (failure) {
      setError(inWords(failure))
      setBusy(false)
    }
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void join()
      }}
    >
      <p>
        {joining.member === null
          ? texts.lead(strings.roles[joining.role])
          : texts.replaceLead(joining.member)}
      </p>
      {joining.member === null && (
        <Field label={texts.name}>
          <input
            data-testid="join-name"
            required
            maxLength={200}
            autoComplete="name"
            dir="auto"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
      <p className="field-hint">{texts.passkeyHint}</p>
      <ErrorNote error={error} />
      <Button type="submit" kind="primary" data-testid="join-submit" busy={busy}>
        {texts.submit}
      </Button>
    </form>
  )
}

export default JoinPage
