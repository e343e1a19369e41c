import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useMemo, useState } from "react"
import type { ClientConsent } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { useSession } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import type { PageRoute } from "../../page-route.js"
import { connectText as text } from "../../strings/connect.js"

/** An assistant asks to act for the person; the address holds its request. */
const Connect: PageRoute["page"] = (): ReactNode => {
  const { workspaceId } = useSession()
  const request = useMemo(() => Object.fromEntries(new URLSearchParams(location.search)), [])
  const asked = useQuery({
    queryKey: [workspaceId, "clients/preview", request],
    queryFn: () => callOwn<ClientConsent>("clients/preview", { method: "POST", body: { request } })
  })
  return (
    <Page title={text.title}>
      <Loaded query={asked}>
        {(consent) => <Consent key={workspaceId} consent={consent} request={request} />}
      </Loaded>
    </Page>
  )
}

const Consent = ({
  consent,
  request
}: {
  readonly consent: ClientConsent
  readonly request: Readonly<Record<string, string>>
}): ReactNode => {
  const { workspaceId, workspaces } = useSession()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    new Set(consent.scopes.flatMap(({ isAsked, scope }) => (isAsked ? [scope] : [])))
  )
  const [state, setState] = useState<"asked" | "busy" | "sent">("asked")
  const [error, setError] = useState<unknown>(null)
  const answer = async (allow: boolean) => {
    setState("busy")
    setError(null)
    try {
      const body = { request, allow, scopes: [...chosen] }
      const { redirectTo } = await callOwn<{ readonly redirectTo: string }>("clients", {
        method: "POST",
        body
      })
      setState("sent")
      // An application of the person's own machine leaves this page where it is.
      location.assign(redirectTo)
    } catch (reason) {
      setError(reason)
      setState("asked")
    }
  }
  const toggle = (scope: string) =>
    setChosen((before) => {
      const next = new Set(before)
      if (!next.delete(scope)) next.add(scope)
      return next
    })
  if (state === "sent") return <p data-testid="connect-sent">{text.sent}</p>
  const { client, problem, redirectHost, scopes } = consent
  const workspace = workspaces.find(({ id }) => id === workspaceId)?.name ?? workspaceId
  return (
    <section className="stack">
      <p data-testid="connect-client" dir="auto">
        <strong>{text.asks(client.name)}</strong>{" "}
        {client.host === null ? text.unverified : text.verified(client.host)} {text.goesTo(redirectHost)}
      </p>
      <ErrorNote error={error ?? (problem === null ? null : new Error(problem))} />
      {problem === null && (
        <>
          <p>{text.workspace(workspace)}</p>
          <fieldset>
            <legend>{text.what}</legend>
            {scopes.map(({ scope }) => (
              <label key={scope} className="check">
                <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} />
                <span>{text.scopes[scope] ?? scope}</span>
              </label>
            ))}
          </fieldset>
          <p className="muted">{text.ends}</p>
        </>
      )}
      <p>
        {problem === null && (
          <Button
            kind="primary"
            data-testid="connect-allow"
            busy={state === "busy"}
            reason={chosen.size === 0 ? text.none : undefined}
            onClick={() => void answer(true)}
          >
            {text.allow}
          </Button>
        )}{" "}
        <Button data-testid="connect-deny" busy={state === "busy"} onClick={() => void answer(false)}>
          {problem === null ? text.deny : text.back}
        </Button>
      </p>
    </section>
  )
}

export default Connect
