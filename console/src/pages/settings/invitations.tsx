import { type ReactNode, useState } from "react"
import type { InvitationItem, MemberAccess, MemberRole } from "../../../../server/console/model.js"
import { basePath, callOwn } from "../../api/connection.js"
import { useOwn, useRefresh } from "../../api/hooks.js"
import { useSession } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { Badge, Person, Time } from "../../components/text.js"
import { settingsText } from "../../strings/settings.js"
import { strings } from "../../strings.js"

const text = settingsText.members
const roles = Object.keys(strings.roles) as ReadonlyArray<MemberRole>

/** Invitations that nobody has used yet. */
export const Invitations = (): ReactNode => {
  const { data } = useOwn<{ readonly items: ReadonlyArray<InvitationItem> }>("invitations")
  const refresh = useRefresh()
  const [error, setError] = useState<unknown>(null)
  if (data === undefined || data.items.length === 0) return null
  const revoke = async (id: string) => {
    setError(null)
    try {
      await callOwn(`invitations/${id}`, { method: "DELETE" })
    } catch (failure) {
      setError(failure)
    } finally {
      await refresh(["invitations"])
    }
  }
  return (
    <section className="stack tight">
      <h2>{text.invitations}</h2>
      <ErrorNote error={error} />
      <ul className="list">
        {data.items.map(({ createdBy, expiresAt, id, role, userId }) => (
          <li key={id} className="list-row row spread" data-testid="invitation-row" data-id={id}>
            <span>
              {userId === null ? <Badge>{strings.roles[role]}</Badge> : <Person id={userId} />}{" "}
              <span className="muted small">
                {text.invitedBy} <Person id={createdBy} /> · {text.ends} <Time at={expiresAt} />
              </span>
            </span>
            <Button size="small" onClick={() => void revoke(id)}>
              {text.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Makes a link: for a new person, or for a member whose passkey is lost. */
export const InviteDialog = ({
  member,
  onClose
}: {
  readonly member: MemberAccess | null
  readonly onClose: () => void
}): ReactNode => {
  const { workspaceId } = useSession()
  const refresh = useRefresh()
  const [role, setRole] = useState<MemberRole>("member")
  const [link, setLink] = useState<string | null>(null)
  const [copied, setCopied] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const make = async () => {
    setBusy(true)
    setError(null)
    try {
      const { token } = await callOwn<InvitationItem & { readonly token: string }>("invitations", {
        method: "POST",
        body: member === null ? { role } : { userId: member.id }
      })
      setLink(`${location.origin}${basePath}/join#${workspaceId}.${token}`)
      await refresh(["invitations"])
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={member === null ? text.inviteTitle : text.newLinkTitle(member.displayName)}
      onClose={onClose}
    >
      {link === null ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void make()
          }}
        >
          {member === null ? (
            <Field label={text.role} hint={text.roleHints[role]}>
              <select
                value={role}
                onChange={(event) => setRole(roles.find((one) => one === event.target.value) ?? "member")}
              >
                {roles.map((one) => (
                  <option key={one} value={one}>
                    {strings.roles[one]}
                  </option>
                ))}
              </select>
            </Field>
          ) : (
            <p>{text.newLinkHint}</p>
          )}
          <ErrorNote error={error} />
          <div className="dialog-actions">
            <Button onClick={onClose}>{strings.actions.cancel}</Button>
            <Button type="submit" kind="primary" data-testid="invite-create" busy={busy}>
              {text.makeLink}
            </Button>
          </div>
        </form>
      ) : (
        <div className="stack">
          <Field label={text.link} hint={text.linkHint}>
            <input
              data-testid="invite-link"
              readOnly
              value={link}
              onFocus={(event) => event.target.select()}
            />
          </Field>
          <div className="dialog-actions">
            <Button
              onClick={() =>
                void navigator.clipboard?.writeText(link).then(
                  () => setCopied(true),
                  () => undefined
                )
              }
            >
              {copied ? strings.actions.copied : strings.actions.copy}
            </Button>
            <Button kind="primary" onClick={onClose}>
              {strings.actions.close}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
