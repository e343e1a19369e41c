import type { ReactNode } from "react"
import type { WorkspaceView } from "../../../../server/client/index.js"
import { Field } from "../../components/page.js"
import { settingsText } from "../../strings/settings.js"
import { numbersOf, SettingsForm } from "./settings-form.js"

/** Settings that say how long something is kept, in days or versions. */
const names = ["versionsPerDocument", "answerDays", "decisionDays", "dataRowDays", "trashDays"] as const

export const Retention = ({ view }: { readonly view: WorkspaceView }): ReactNode => (
  <SettingsForm view={view} changeOf={(form) => ({ retention: numbersOf(form, names) })}>
    {names.map((name) => (
      <Field key={name} label={settingsText.retention[name]}>
        <input name={name} type="number" min={0} required defaultValue={view.settings.retention[name]} />
      </Field>
    ))}
  </SettingsForm>
)
