import type { ReactNode } from "react"
import { useOperation } from "../api/hooks.js"
import { useSession } from "../api/session.js"
import { peopleText } from "../strings/fields.js"

export interface Choice {
  readonly id: string
  readonly name: string
}

/** The members of the workspace, the caller first. Owners are members' ids, because only those pass the reviewer gate. */
export const useMembers = (): ReadonlyArray<Choice> => {
  const { member } = useSession()
  const { data } = useOperation("listMembers", { limit: 200 })
  const items = (data?.items ?? []).map(({ displayName, id }) => ({ id: String(id), name: displayName }))
  return items.sort(
    (a, b) => Number(b.id === member?.id) - Number(a.id === member?.id) || a.name.localeCompare(b.name)
  )
}

/** A choice among members; a person who is none, for example from the command line, stays selectable while set. */
export const PersonSelect = ({
  label,
  value,
  onChange,
  nobody
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (id: string) => void
  /** The name of the empty choice. */
  readonly nobody: string
}): ReactNode => {
  const members = useMembers()
  const { member } = useSession()
  return (
    <label className="field">
      <span className="field-label">{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{nobody}</option>
        {value !== "" && !members.some(({ id }) => id === value) && (
          <option value={value}>{peopleText.noMember(value)}</option>
        )}
        {members.map(({ id, name }) => (
          <option key={id} value={id}>
            {id === member?.id ? peopleText.you(name) : name}
          </option>
        ))}
      </select>
    </label>
  )
}
