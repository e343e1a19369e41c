import type { ReactNode } from "react"
import type { QueryInput } from "../../../../server/client/index.js"
import { useScopeReason } from "../../api/session.js"
import { Field } from "../../components/page.js"
import { strings } from "../../strings.js"

export type AskOptions = Omit<QueryInput, "question" | "conversationId" | "turns">

const texts = strings.ask
const modes = ["off", "shadow", "enforce"] as const
const formats = ["prose", "bullets", "steps"] as const
const standings = ["unverified", "verified", "certified", "deprecated"] as const

/** The options without the fields that are not set. */
const without = (options: AskOptions, name: keyof AskOptions): AskOptions =>
  Object.fromEntries(Object.entries(options).filter(([key]) => key !== name))

/** Form for the filters of a question, for its policy mode and for the wording of its answer. */
export const OptionsForm = ({
  options,
  onChange
}: {
  readonly options: AskOptions
  readonly onChange: (options: AskOptions) => void
}): ReactNode => {
  const dataReason = useScopeReason("data:run")
  const set = <Name extends keyof AskOptions>(name: Name, value: AskOptions[Name] | "") =>
    onChange(
      value === "" || value === undefined || value === false
        ? without(options, name)
        : { ...options, [name]: value }
    )
  return (
    <div className="options-grid">
      <Field label={texts.folder}>
        <input
          type="text"
          dir="auto"
          value={options.pathPrefix ?? ""}
          onChange={(event) => set("pathPrefix", event.target.value)}
        />
      </Field>
      <Field label={texts.tag}>
        <input
          type="text"
          dir="auto"
          value={options.tag ?? ""}
          onChange={(event) => set("tag", event.target.value)}
        />
      </Field>
      <Field label={texts.verification}>
        <select
          value={options.verification ?? ""}
          onChange={(event) => set("verification", standings.find((one) => one === event.target.value) ?? "")}
        >
          <option value="">{texts.anyVerification}</option>
          {standings.map((one) => (
            <option key={one} value={one}>
              {strings.standing[one]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={texts.maxSources}>
        <input
          type="number"
          min={1}
          max={20}
          placeholder="8"
          value={options.maxSources ?? ""}
          onChange={(event) => set("maxSources", event.target.value === "" ? "" : Number(event.target.value))}
        />
      </Field>
      <Field label={texts.policyMode}>
        <select
          value={options.policyMode ?? ""}
          onChange={(event) => set("policyMode", modes.find((one) => one === event.target.value) ?? "")}
        >
          <option value="">{texts.policyModes[""]}</option>
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {texts.policyModes[mode]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={texts.asOf}>
        <input type="date" value={options.asOf ?? ""} onChange={(event) => set("asOf", event.target.value)} />
      </Field>
      <Field label={texts.answerFormat}>
        <select
          value={options.answerFormat ?? ""}
          onChange={(event) => set("answerFormat", formats.find((one) => one === event.target.value) ?? "")}
        >
          <option value="">{texts.answerFormats[""]}</option>
          {formats.map((format) => (
            <option key={format} value={format}>
              {texts.answerFormats[format]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={texts.language}>
        <input
          type="text"
          maxLength={35}
          placeholder="de, pt-BR"
          value={options.language ?? ""}
          onChange={(event) => set("language", event.target.value.trim())}
        />
      </Field>
      <Field label={texts.instructions}>
        <textarea
          rows={2}
          maxLength={2000}
          dir="auto"
          value={options.instructions ?? ""}
          onChange={(event) => set("instructions", event.target.value)}
        />
      </Field>
      <label className="check" title={dataReason}>
        <input
          type="checkbox"
          checked={options.includeData === true}
          disabled={dataReason !== undefined || options.asOf !== undefined}
          onChange={(event) => set("includeData", event.target.checked)}
        />
        <span>{texts.includeData}</span>
        {dataReason !== undefined && <span className="muted small">{dataReason}</span>}
      </label>
    </div>
  )
}
