import { type KeyboardEvent, type ReactNode, useId, useState } from "react"
import { useOperation } from "../api/hooks.js"
import { entityText } from "../strings/entities.js"
import { useDelayed } from "./filters.js"
import { Content } from "./text.js"

export interface PickedEntity {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** A field that finds an entity by name or alias: type, choose with the arrows, take with Enter. */
export const EntityPicker = ({
  label,
  picked,
  onPick,
  exclude = [],
  hint
}: {
  readonly label: string
  readonly picked: PickedEntity | null
  readonly onPick: (entity: PickedEntity | null) => void
  /** Ids that cannot be chosen. */
  readonly exclude?: ReadonlyArray<string>
  readonly hint?: string
}): ReactNode => {
  const id = useId()
  const [text, setText] = useState("")
  const [active, setActive] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const words = useDelayed(text.trim(), 150)
  const found = useOperation(
    "resolveEntities",
    { q: words, limit: 8 },
    { enabled: words !== "" && isOpen, keepPrevious: true }
  )
  const candidates =
    words === "" ? [] : (found.data?.candidates ?? []).filter((one) => !exclude.includes(one.id))
  const take = (entity: PickedEntity) => {
    onPick({ id: entity.id, name: entity.name, type: entity.type })
    setText("")
    setOpen(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = candidates[active]
    if (event.key === "ArrowDown") setActive(Math.min(candidates.length - 1, active + 1))
    else if (event.key === "ArrowUp") setActive(Math.max(0, active - 1))
    else if (event.key === "Enter" && isOpen && chosen !== undefined) take(chosen)
    else if (event.key === "Escape" && isOpen && text !== "") setOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const isListed = isOpen && words !== ""
  return (
    <div className="field entity-picker">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {picked === null ? (
        <input
          id={id}
          dir="auto"
          role="combobox"
          autoComplete="off"
          aria-expanded={isListed}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isListed && candidates.length > 0 ? `${id}-${active}` : undefined}
          placeholder={entityText.picker.placeholder}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setActive(0)
            setOpen(true)
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
      ) : (
        <span className="picked">
          <span>
            <Content>{picked.name}</Content> <span className="muted">{picked.type}</span>
          </span>
          <button type="button" id={id} className="button quiet small" onClick={() => onPick(null)}>
            {entityText.picker.change}
          </button>
        </span>
      )}
      {isListed && (
        <div id={`${id}-list`} role="listbox" className="picker-list" aria-label={label}>
          {candidates.map((one, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
            <div
              key={one.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              className={index === active ? "picker-option active" : "picker-option"}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(one)}
            >
              <Content>{one.name}</Content>
              <span className="muted">
                {one.type}
                {one.matchKind === "alias" && one.matched !== one.name ? ` · ${one.matched}` : ""}
              </span>
            </div>
          ))}
          {candidates.length === 0 && (
            <p className="picker-option muted" role="status">
              {found.isFetching ? entityText.picker.searching : entityText.picker.none}
            </p>
          )}
        </div>
      )}
      {hint !== undefined && <span className="field-hint">{hint}</span>}
    </div>
  )
}
