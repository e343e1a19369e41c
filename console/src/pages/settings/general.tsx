import type { ReactNode } from "react"
import type { WorkspaceView } from "../../../../server/client/index.js"
import { Figures } from "../../components/figures.js"
import { Field } from "../../components/page.js"
import { formatNumber } from "../../language.js"
import { agentText } from "../../strings/runs.js"
import { settingsText } from "../../strings/settings.js"
import { numbersOf, SettingsForm, textOrNull } from "./settings-form.js"

// The section `General` of the settings: name, use, wording of answers, caps and budgets of the workspace.

const text = settingsText.general
const capNames = ["activeRuns", "dataRows", "dataBytes", "dataTimeoutMs"] as const
const budgetNames = ["steps", "tokens", "minutes"] as const

export const General = ({ view }: { readonly view: WorkspaceView }): ReactNode => {
  const { name, settings, usage } = view
  return (
    <>
      <Figures
        items={[
          [text.spend, `${usage.agentSpendUsd} ${text.of} ${usage.capUsd} USD`],
          [text.tokens, formatNumber(usage.tokens)],
          [text.active, `${usage.activeRuns} ${text.of} ${usage.activeRunCap}`]
        ]}
      />
      <SettingsForm
        view={view}
        changeOf={(form) => ({
          name: String(form.get("name")),
          ...numbersOf(form, ["reviewIntervalDays"]),
          cacheMode: String(form.get("cacheMode")) as "off" | "shadow" | "on",
          answers: {
            instructions: textOrNull(form, "instructions"),
            language: textOrNull(form, "language"),
            tone: textOrNull(form, "tone")
          },
          vault: { gitignore: form.get("gitignore") !== null },
          caps: { ...numbersOf(form, capNames), agentSpendUsd: String(form.get("agentSpendUsd")) },
          budgets: {
            ...numbersOf(form, budgetNames),
            costUsd: String(form.get("costUsd"))
          }
        })}
      >
        <Field label={text.name}>
          <input name="name" required maxLength={200} dir="auto" defaultValue={name} />
        </Field>
        <Field label={text.review}>
          <input
            name="reviewIntervalDays"
            type="number"
            min={1}
            required
            defaultValue={settings.reviewIntervalDays}
          />
        </Field>
        <Field label={text.cache}>
          <select name="cacheMode" defaultValue={settings.cacheMode}>
            {Object.entries(text.cacheModes).map(([mode, label]) => (
              <option key={mode} value={mode}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <label className="check">
          <input type="checkbox" name="gitignore" defaultChecked={settings.vault.gitignore} />
          {text.gitignore}
        </label>
        <fieldset className="field-grid">
          <legend>{text.answers}</legend>
          <Field label={text.instructions}>
            <textarea
              name="instructions"
              rows={3}
              maxLength={2000}
              dir="auto"
              defaultValue={settings.answers.instructions ?? ""}
            />
          </Field>
          <Field label={text.language}>
            <input
              name="language"
              maxLength={35}
              placeholder="de, pt-BR"
              pattern="[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*"
              defaultValue={settings.answers.language ?? ""}
            />
          </Field>
          <Field label={text.tone}>
            <input name="tone" maxLength={200} dir="auto" defaultValue={settings.answers.tone ?? ""} />
          </Field>
        </fieldset>
        <fieldset className="field-grid">
          <legend>{text.caps}</legend>
          <Field label={text.cap.agentSpendUsd}>
            <input
              name="agentSpendUsd"
              inputMode="decimal"
              required
              defaultValue={settings.caps.agentSpendUsd}
            />
          </Field>
          {capNames.map((cap) => (
            <Field key={cap} label={text.cap[cap]}>
              <input name={cap} type="number" min={1} required defaultValue={settings.caps[cap]} />
            </Field>
          ))}
        </fieldset>
        <fieldset className="field-grid">
          <legend>{text.budgets}</legend>
          <Field label={agentText.budget.costUsd}>
            <input name="costUsd" inputMode="decimal" required defaultValue={settings.budgets.costUsd} />
          </Field>
          {budgetNames.map((budget) => (
            <Field key={budget} label={agentText.budget[budget]}>
              <input name={budget} type="number" min={1} required defaultValue={settings.budgets[budget]} />
            </Field>
          ))}
        </fieldset>
      </SettingsForm>
    </>
  )
}
