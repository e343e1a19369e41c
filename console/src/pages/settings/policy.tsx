import type { ReactNode } from "react"
import type { PolicyMode, WorkspaceView } from "../../../../server/client/index.js"
import { Field } from "../../components/page.js"
import { settingsText } from "../../strings/settings.js"
import { numberOf, numberOrNull, SettingsForm } from "./settings-form.js"

// The section `Policy` of the settings: the mode of the gate and its thresholds.

const text = settingsText.policy

export const Policy = ({ view }: { readonly view: WorkspaceView }): ReactNode => {
  const { policy } = view.settings
  const { thresholds } = policy
  return (
    <SettingsForm
      view={view}
      changeOf={(form) => {
        const unsupported = String(form.get("unsupported"))
        return {
          policy: {
            mode: String(form.get("mode")) as PolicyMode,
            thresholds: {
              coverage: numberOf(form, "coverage") ?? thresholds.coverage,
              floor: numberOf(form, "floor") ?? thresholds.floor,
              cosine: numberOrNull(form, "cosine"),
              confidence: numberOrNull(form, "confidence")
            },
            unsupported: unsupported === "show" || unsupported === "withhold" ? unsupported : null,
            keepQuestions: form.get("keepQuestions") !== null
          },
          privacy: { questions: form.get("questions") === "workspace" ? "workspace" : "own" }
        }
      }}
    >
      <fieldset className="checks">
        <legend>{text.mode}</legend>
        {Object.entries(text.modes).map(([mode, label]) => (
          <label key={mode} className="check">
            <input type="radio" name="mode" value={mode} defaultChecked={policy.mode === mode} />
            {label}
          </label>
        ))}
      </fieldset>
      <fieldset className="field-grid">
        <legend>{text.thresholds}</legend>
        {(["coverage", "cosine", "confidence", "floor"] as const).map((name) => (
          <Field key={name} label={text.threshold[name]}>
            <input
              name={name}
              type="number"
              min={0}
              max={1}
              step="any"
              defaultValue={thresholds[name] ?? ""}
            />
          </Field>
        ))}
      </fieldset>
      <Field label={text.unsupported}>
        <select name="unsupported" defaultValue={policy.unsupported ?? ""}>
          {Object.entries(text.unsupportedKinds).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <label className="check">
        <input type="checkbox" name="keepQuestions" defaultChecked={policy.keepQuestions} />
        {text.keepQuestions}
      </label>
      <Field label={text.questions}>
        <select name="questions" defaultValue={view.settings.privacy.questions}>
          {Object.entries(text.questionReaders).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Field>
    </SettingsForm>
  )
}
