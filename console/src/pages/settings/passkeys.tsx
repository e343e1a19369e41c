import { type ReactNode, useState } from "react"
import type { PasskeyItem } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { useOwn, useRefresh } from "../../api/hooks.js"
import { makePasskey, passkeyProblem } from "../../api/passkeys.js"
import { useSession } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { Content, Time } from "../../components/text.js"
import { settingsText } from "../../strings/settings.js"

const text = settingsText.passkeys

/** One's own passkeys; nothing for a session that belongs to no member. */
export const Passkeys = (): ReactNode => {
  const { member } = useSession()
  return member?.id.startsWith("usr_") === true ? <Own /> : null
}

const Own = (): ReactNode => {
  const { data } = useOwn<{ readonly items: ReadonlyArray<PasskeyItem> }>("passkeys")
  const refresh = useRefresh()
  const confirm = useConfirm()
  const [name, setName] = useState("")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const problem = passkeyProblem()
  const add = async () => {
    setBusy(true)
    setError(null)
    try {
      const response = await makePasskey("passkeys/options", {})
      await callOwn("passkeys", { method: "POST", body: { name, response } })
      setName("")
      await refresh(["passkeys", "members"])
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="stack tight">
      <h2>{text.title}</h2>
      {data !== undefined && data.items.length > 0 && (
        <ul className="list">
          {data.items.map(({ createdAt, id, lastUsedAt, name: device }) => (
            <li key={id} className="list-row row spread" data-testid="passkey-row" data-id={id}>
              <span>
                <strong>
                  <Content>{device}</Content>
                </strong>
                <br />
                <span className="muted small">
                  {text.made} <Time at={createdAt} /> · {text.used} <Time at={lastUsedAt} />
                </span>
              </span>
              <Button
                size="small"
                aria-label={text.removeOf(device)}
                onClick={() =>
                  confirm({
                    title: text.removeTitle(device),
                    text: text.removeText,
                    action: text.remove,
                    danger: true,
                    run: async () => {
                      await callOwn(`passkeys/${encodeURIComponent(id)}`, { method: "DELETE" })
                      await refresh(["passkeys", "members"])
                    }
                  })
                }
              >
                {text.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {problem !== null ? (
        <p className="muted">{problem.text}</p>
      ) : (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault()
            void add()
          }}
        >
          <Field label={text.device}>
            <input
              required
              maxLength={200}
              dir="auto"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          <Button type="submit" data-testid="passkey-add" busy={busy}>
            {text.add}
          </Button>
        </form>
      )}
      <ErrorNote error={error} />
    </section>
  )
}
