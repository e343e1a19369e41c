import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { MemberAccess, MemberRole } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { useOperation, useOwn, useRefresh } from "../../api/hooks.js"
import { useScopeReason, useSession, useSessionState } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { settingsText } from "../../strings/settings.js"
import { strings } from "../../strings.js"
import { Invitations, InviteDialog } from "./invitations.js"

const text = settingsText.members
const roles = Object.keys(strings.roles) as ReadonlyArray<MemberRole>

/** The members with what they look after; administrators invite, change roles and remove. */
export const Members = (): ReactNode => {
  const adminReason = useScopeReason("workspace:admin")
  return adminReason === undefined ? <Administration /> : <MemberList />
}

const MemberList = (): ReactNode => {
  const members = useOperation("listMembers", { limit: 200 })
  return (
    <Loaded query={members}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title={text.empty} />
        ) : (
          <ul className="list">
            {items.map((member) => (
              <li
                key={member.id}
                className="list-row row spread"
                data-testid="member-row"
                data-id={member.id}
              >
                <span>
                  <strong>
                    <Content>{member.displayName}</Content>
                  </strong>{" "}
                  <Badge tone={member.role === "admin" ? "info" : "neutral"}>
                    {strings.roles[member.role]}
                  </Badge>
                </span>
                <Care id={member.id} owned={member.ownedConcepts} stewarded={member.stewardedConcepts} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

const Care = ({
  id,
  owned,
  stewarded
}: {
  readonly id: string
  readonly owned: number
  readonly stewarded: number
}): ReactNode => (
  <span className="muted">
    <Link href={`/entities?ownerId=${id}`}>
      {text.owned} {owned}
    </Link>{" "}
    · {text.stewarded} {stewarded}
  </span>
)

const Administration = (): ReactNode => {
  const members = useOwn<{ readonly items: ReadonlyArray<MemberAccess> }>("members")
  const [invited, setInvited] = useState<"new" | MemberAccess | null>(null)
  return (
    <>
      <p>
        <Button kind="primary" data-testid="invite" onClick={() => setInvited("new")}>
          {text.invite}
        </Button>
      </p>
      <Loaded query={members}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map((member) => (
                <MemberRow key={member.id} member={member} onLink={() => setInvited(member)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Invitations />
      {invited !== null && (
        <InviteDialog member={invited === "new" ? null : invited} onClose={() => setInvited(null)} />
      )}
    </>
  )
}

const MemberRow = ({
  member,
  onLink
}: {
  readonly member: MemberAccess
  readonly onLink: () => void
}): ReactNode => {
  const { actor } = useSession()
  const { seeAs } = useSessionState()
  const confirm = useConfirm()
  const toast = useToast()
  const refresh = useRefresh()
  const [error, setError] = useState<unknown>(null)
  const { displayName, id, keys, lastSeenAt, logins, passkeys, role } = member
  const stale = ["members", "listMembers", "sessions"] as const
  const change = async (next: MemberRole) => {
    setError(null)
    try {
      await callOwn(`members/${id}`, { method: "PATCH", body: { role: next } })
      toast({ text: text.changed(displayName, strings.roles[next]) })
    } catch (failure) {
      setError(failure)
    } finally {
      await refresh(stale)
    }
  }
  const methods = [
    ...(passkeys > 0 ? [text.passkeys(passkeys)] : []),
    ...(logins > 0 ? [text.logins] : []),
    ...(keys.length > 0 ? [text.keys(keys.length)] : [])
  ]
  return (
    <li className="list-row" data-testid="member-row" data-id={id}>
      <div className="row spread">
        <span className="grow">
          <strong>
            <Content>{displayName}</Content>
          </strong>{" "}
          {id === actor && <Badge>{text.you}</Badge>}
          <br />
          <span className="muted small">
            {text.seen} <Time at={lastSeenAt} /> · {methods.length === 0 ? text.noMethod : methods.join(", ")}
          </span>
        </span>
        <select
          aria-label={text.roleOf(displayName)}
          value={role}
          onChange={(event) => {
            const next = roles.find((one) => one === event.target.value)
            if (next !== undefined) void change(next)
          }}
        >
          {roles.map((one) => (
            <option key={one} value={one}>
              {strings.roles[one]}
            </option>
          ))}
        </select>
        {id !== actor && (
          <Button
            size="small"
            data-testid="member-see-as"
            aria-label={text.seeAsOf(displayName)}
            onClick={() => seeAs(member)}
          >
            {text.seeAs}
          </Button>
        )}
        <Button size="small" aria-label={text.newLinkOf(displayName)} onClick={onLink}>
          {text.newLink}
        </Button>
        <Button
          size="small"
          kind="danger"
          data-testid="member-remove"
          aria-label={text.removeOf(displayName)}
          onClick={() =>
            confirm({
              title: text.removeTitle(displayName),
              text: text.removeText,
              action: text.remove,
              danger: true,
              run: async () => {
                await callOwn(`members/${id}`, { method: "DELETE" })
                await refresh(stale)
              }
            })
          }
        >
          {text.remove}
        </Button>
      </div>
      {keys.length > 0 && (
        <ul className="muted small">
          {keys.map((key) => (
            <li key={key.id} className="row">
              <span>
                <Content>{key.name}</Content> <code>{key.prefix}…</code>
              </span>
              <Button
                size="small"
                kind="quiet"
                aria-label={text.revokeKeyOf(key.name, displayName)}
                onClick={() =>
                  confirm({
                    title: text.revokeKeyTitle(key.name),
                    action: text.revoke,
                    danger: true,
                    run: async () => {
                      await callOwn(`members/${id}/keys/${key.id}`, { method: "DELETE" })
                      await refresh(stale)
                    }
                  })
                }
              >
                {text.revoke}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ErrorNote error={error} />
    </li>
  )
}
