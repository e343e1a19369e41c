import { type ReactNode, useState } from "react"
import {
  KanonApiError,
  type UpdateWorkspaceInput,
  type WorkspaceView
} from "../../../../server/client/index.js"
import { callOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { useToast } from "../../components/toast.js"
import { settingsText as text } from "../../strings/settings.js"
import { strings } from "../../strings.js"

/**
 * A form over a part of the settings. `changeOf` reads the change from the form. A save over another revision is refused;
 * then the present settings are read again, and the form keeps what was typed.
 */
export const SettingsForm = ({
  changeOf,
  children,
  onChange,
  view
}: {
  readonly view: WorkspaceView
  readonly changeOf: (form: FormData) => UpdateWorkspaceInput
  readonly children: ReactNode
  /** Called for each edit of a field. */
  readonly onChange?: () => void
}): ReactNode => {
  const adminReason = useScopeReason("workspace:admin")
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const toast = useToast()
  const refresh = useRefresh()
  const isStale = error instanceof KanonApiError && error.code === "conflict"
  const save = async (form: FormData) => {
    setBusy(true)
    setError(null)
    try {
      await callOperation("updateWorkspace", { ...changeOf(form), expectRevision: view.revision })
      toast({ text: text.saved })
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
      await refresh(["getWorkspace"])
    }
  }
  return (
    <form
      className="panel stack settings-form"
      onChange={onChange}
      onSubmit={(event) => {
        event.preventDefault()
        if (adminReason === undefined) void save(new FormData(event.currentTarget))
      }}
    >
      {children}
      {isStale && <p className="note warn">{text.stale}</p>}
      <ErrorNote error={error} />
      <p>
        <Button type="submit" kind="primary" reason={adminReason} busy={busy}>
          {strings.actions.save}
        </Button>
      </p>
    </form>
  )
}

/** A number of a form; undefined for an empty field. */
export const numberOf = (form: FormData, name: string): number | undefined => {
  const given = String(form.get(name) ?? "").trim()
  return given === "" ? undefined : Number(given)
}

/** The same where empty means null. */
export const numberOrNull = (form: FormData, name: string): number | null => numberOf(form, name) ?? null

/** Only those of the names that the form holds. */
export const numbersOf = (form: FormData, names: ReadonlyArray<string>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = numberOf(form, name)
      return value === undefined ? [] : [[name, value]]
    })
  )

/** A text of a form; null for an empty field, which clears the setting. */
export const textOrNull = (form: FormData, name: string): string | null =>
  String(form.get(name) ?? "").trim() || null
