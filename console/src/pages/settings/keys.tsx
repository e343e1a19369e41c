import { type ReactNode, useState } from "react"
import type { KeyItem, KeyScope, MintedKey } from "../../../../server/client/index.js"
import { callOperation, useChange, useOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason, useSession } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { Dialog, useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { settingsText } from "../../strings/settings.js"
import { strings } from "../../strings.js"

const text = settingsText.keys
const scopes: ReadonlyArray<KeyScope> = [
  "kb:read",
  "kb:write",
  "agents:run",
  "runs:read",
  "data:read",
  "data:run",
  "reports:read",
  "reports:write",
  "workspace:admin"
]
/** How long a rotated key stays good. */
const graceSeconds = 3_600

/** The keys of the workspace: make, rotate, revoke. A secret is shown once. */
export const Keys = (): ReactNode => {
  const adminReason = useScopeReason("workspace:admin")
  const keys = useOperation("listKeys", {}, { enabled: adminReason === undefined })
  const [isCreating, setCreating] = useState(false)
  const [minted, setMinted] = useState<MintedKey | null>(null)
  return (
    <>
      <p>
        <Button
          kind="primary"
          data-testid="key-create"
          reason={adminReason}
          onClick={() => setCreating(true)}
        >
          {text.create}
        </Button>
      </p>
      {adminReason === undefined ? (
        <Loaded query={keys}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState title={text.empty} />
            ) : (
              <ul className="list">
                {items.map((key) => (
                  <KeyRow key={key.id} item={key} onMinted={setMinted} />
                ))}
              </ul>
            )
          }
        </Loaded>
      ) : (
        <p className="note">{adminReason}</p>
      )}
      {isCreating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onMinted={(key) => {
            setCreating(false)
            setMinted(key)
          }}
        />
      )}
      {minted !== null && <Secret minted={minted} onClose={() => setMinted(null)} />}
    </>
  )
}

const KeyRow = ({
  item,
  onMinted
}: {
  readonly item: KeyItem
  readonly onMinted: (minted: MintedKey) => void
}): ReactNode => {
  const confirm = useConfirm()
  const toast = useToast()
  const refresh = useRefresh()
  const isExpired = item.expiresAt !== null && Date.parse(item.expiresAt) < Date.now()
  const isOver = item.revokedAt !== null || isExpired
  const rotate = async () => {
    const minted = await callOperation("mintKey", {
      name: item.name,
      scopes: item.scopes,
      replaces: item.id,
      graceSeconds
    })
    await refresh(["listKeys"])
    onMinted(minted)
  }
  const revoke = async () => {
    await callOperation("revokeKey", { id: item.id })
    await refresh(["listKeys"])
    toast({ text: text.done })
  }
  return (
    <li className="list-row row spread" data-testid="key-row" data-id={item.id}>
      <span className="grow">
        <strong>
          <Content>{item.name}</Content>
        </strong>{" "}
        <code className="small">{item.prefix}…</code> <Badge>{text.kinds[item.kind]}</Badge>{" "}
        {item.revokedAt !== null && <Badge tone="bad">{text.revoked}</Badge>}
        {item.revokedAt === null && isExpired && <Badge tone="warn">{text.expired}</Badge>}
        <br />
        <span className="muted small">
          {item.scopes.join(", ")} · {text.created} <Time at={item.createdAt} /> · {text.lastUsed}{" "}
          <Time at={item.lastUsedAt} /> · {text.expires}{" "}
          {item.expiresAt === null ? text.expiresNever : <Time at={item.expiresAt} />}
        </span>
      </span>
      {!isOver && (
        <span className="button-row">
          {item.kind === "workspace" && item.scopes.length > 0 && (
            <Button
              size="small"
              onClick={() =>
                confirm({
                  title: text.rotateTitle(item.name),
                  text: text.rotateText,
                  action: text.rotate,
                  run: rotate
                })
              }
            >
              {text.rotate}
            </Button>
          )}
          <Button
            size="small"
            kind="danger"
            onClick={() =>
              confirm({
                title: text.revokeTitle(item.name),
                text: text.revokeText,
                action: text.revoke,
                danger: true,
                run: revoke
              })
            }
          >
            {text.revoke}
          </Button>
        </span>
      )}
    </li>
  )
}

const CreateKey = ({
  onClose,
  onMinted
}: {
  readonly onClose: () => void
  readonly onMinted: (minted: MintedKey) => void
}): ReactNode => {
  const session = useSession()
  const mint = useChange("mintKey", ["listKeys"])
  const [chosen, setChosen] = useState<ReadonlySet<KeyScope>>(new Set(["kb:read"]))
  const submit = async (form: FormData) => {
    const expires = String(form.get("expires") ?? "")
    const minted = await mint
      .mutateAsync({
        name: String(form.get("name")),
        scopes: scopes.filter((scope) => chosen.has(scope)),
        expiresAt: expires === "" ? null : new Date(`${expires}T23:59:59`).toISOString()
      })
      .catch(() => null)
    if (minted !== null) onMinted(minted)
  }
  return (
    <Dialog title={text.create} onClose={onClose}>
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen.size > 0) void submit(new FormData(event.currentTarget))
        }}
      >
        <Field label={text.name}>
          <input name="name" required maxLength={200} dir="auto" />
        </Field>
        <fieldset className="checks">
          <legend>{text.scopes}</legend>
          {scopes.map((scope) => {
            const isMine = session.scopes.includes(scope)
            return (
              <label key={scope} className="check" title={isMine ? undefined : text.tooMuch}>
                <input
                  type="checkbox"
                  checked={chosen.has(scope)}
                  disabled={!isMine}
                  onChange={() => {
                    const next = new Set(chosen)
                    if (!next.delete(scope)) next.add(scope)
                    setChosen(next)
                  }}
                />
                <code>{scope}</code>
              </label>
            )
          })}
        </fieldset>
        <Field label={text.expires}>
          <input name="expires" type="date" />
        </Field>
        <ErrorNote error={mint.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            busy={mint.isPending}
            reason={chosen.size === 0 ? text.noScope : undefined}
          >
            {strings.actions.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const Secret = ({
  minted,
  onClose
}: {
  readonly minted: MintedKey
  readonly onClose: () => void
}): ReactNode => {
  const [copied, setCopied] = useState(false)
  return (
    <Dialog title={text.secretTitle} onClose={onClose}>
      <p>{text.secretHint}</p>
      <p>
        <code className="secret" data-testid="key-secret">
          {minted.key}
        </code>
      </p>
      <div className="dialog-actions">
        <Button onClick={() => void navigator.clipboard.writeText(minted.key).then(() => setCopied(true))}>
          {copied ? text.copied : text.copy}
        </Button>
        <Button kind="primary" onClick={onClose}>
          {strings.actions.close}
        </Button>
      </div>
    </Dialog>
  )
}
