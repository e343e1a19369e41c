import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { SessionItem, SessionPage } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { useOwn, useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Loaded } from "../../components/states.js"
import { Badge, Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { settingsText } from "../../strings/settings.js"

const text = settingsText.sessions

/** Sessions of the console; administrators see those of everybody who reaches the workspace. */
export const Sessions = (): ReactNode => {
  const sessions = useOwn<SessionPage>("sessions")
  return (
    <Loaded query={sessions}>
      {({ items }) => (
        <ul className="list">
          {items.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
    </Loaded>
  )
}

/** Name and system of a browser, from what it says of itself. */
const browserOf = (userAgent: string): string => {
  const [, name, version] = /(Edg|OPR|Firefox|Chrome|Version)\/(\d+)/.exec(userAgent) ?? []
  const [, system] = /\((?:X11; )?([^;)]+?)(?: x86_64)?[;)]/.exec(userAgent) ?? []
  if (name === undefined || system === undefined) return userAgent === "" ? text.unknownBrowser : userAgent
  return text.browser(text.browsers[name] ?? name, version ?? "", system)
}

const SessionRow = ({ session }: { readonly session: SessionItem }): ReactNode => {
  const toast = useToast()
  const refresh = useRefresh()
  const revoke = useMutation({
    mutationFn: () => callOwn(`sessions/${session.id}`, { method: "DELETE" }),
    onSuccess: async () => {
      toast({ text: text.done })
      await refresh(["sessions"])
    }
  })
  return (
    <li className="list-row row spread" data-testid="session-row" data-id={session.id}>
      <span className="grow">
        <strong>
          <Person id={session.actor} />
        </strong>{" "}
        <Badge>{text.methods[session.method]}</Badge>{" "}
        {session.current && <Badge tone="info">{text.current}</Badge>}
        <br />
        <span className="muted small" dir="auto" title={session.userAgent}>
          {browserOf(session.userAgent)}
        </span>
        <br />
        <span className="muted small">
          {text.seen} <Time at={session.lastSeenAt} /> · {text.ends} <Time at={session.expiresAt} />
        </span>
        <ErrorNote error={revoke.error} />
      </span>
      <Button
        size="small"
        data-testid="session-revoke"
        aria-label={text.revokeLabel(session.member?.name ?? session.actor)}
        busy={revoke.isPending}
        onClick={() => revoke.mutate()}
      >
        {text.revoke}
      </Button>
    </li>
  )
}
