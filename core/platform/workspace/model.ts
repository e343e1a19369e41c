import { z } from "zod"
import { FolderRules } from "../access/index.js"
import { Text, WorkspaceId } from "../kernel/index.js"
import { ModelChoices, ModelPrices } from "../models/index.js"
import { McpServers } from "./mcp-servers.js"

/** US dollars as a decimal number, exact. */
const UsdText = z.string().regex(/^\d{1,9}(\.\d{1,10})?$/)

/** The name of a file, without a folder: a workspace must not name other files of the host. */
const ThesaurusFile = z.string().regex(/^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,119}$/u)

/** What somebody wishes of the wording of answers. */
export const Wishes = Text.trim().min(1).max(2000)

/** A language tag in the form of BCP 47, such as `de` or `pt-BR`. */
export const LanguageTag = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/, "A language tag, such as de or pt-BR.")

/** Everything a workspace can set, each with its default. The one place where defaults live. */
export const Settings = z.object({
  reviewIntervalDays: z.int().min(1).max(3650).default(180),
  retrieval: z
    .object({
      /** Damping of reciprocal rank fusion. */
      rrfK: z.number().min(0).default(60),
      ftsWeight: z.number().min(0).default(1),
      /** Weight of a real embedding model's channel; the built-in vectors weigh as the query asks (0.2 to 1). */
      vectorWeight: z.number().min(0).default(1),
      /** Share of the first lexical hits in the query vector of the built-in channel. */
      seedShare: z.number().min(0).max(1).default(0.5),
      /**
       * By what the score of a passage is multiplied for the standing of its document; 1 throughout switches it off.
       * Neighbouring places differ by some hundredths, so what is vouched for passes what is about as relevant.
       */
      governance: z
        .object({
          deprecated: z.number().min(0.01).max(10).default(0.5),
          verified: z.number().min(0.01).max(10).default(1.01),
          certified: z.number().min(0.01).max(10).default(1.02),
          /** Beside the others, where the review of a verified document is overdue. */
          reviewOverdue: z.number().min(0.01).max(1).default(0.99),
          /** Weight of a deprecated or superseded concept of a question in the search along the graph. */
          retiredConcept: z.number().min(0.01).max(1).default(0.5)
        })
        .prefault({})
    })
    .prefault({}),
  chunking: z
    .object({
      /** Most characters of a chunk, save a table row or code line that is longer. */
      maxChars: z.int().min(200).max(20_000).default(1500),
      /** Characters that two parts of one long paragraph share. */
      overlapChars: z.int().min(0).max(2000).default(150)
    })
    .prefault({}),
  vault: z
    .object({
      /** Whether files that a `.gitignore` of the vault excludes are left out; `.kanonignore` always holds. */
      gitignore: z.boolean().default(true)
    })
    .prefault({}),
  retention: z
    .object({
      /** Versions that are kept of each document, the present one among them; older ones are forgotten. */
      versionsPerDocument: z.int().min(1).max(1_000_000).default(1000),
      /** Days for which answers are kept with their questions, which are personal data; 0 keeps none. */
      answerDays: z.int().min(0).max(36_500).default(365),
      /** Days for which the decisions of the gate are kept with their features; 0 keeps none. */
      decisionDays: z.int().min(0).max(36_500).default(365),
      /** Days for which the rows of data calls are kept; 0 keeps none. The calls themselves stay. */
      dataRowDays: z.int().min(0).max(36_500).default(30),
      /** Days after which a deleted document is gone for good; 0 keeps the trash for ever. */
      trashDays: z.int().min(0).max(36_500).default(0)
    })
    .prefault({}),
  policy: z
    .object({
      /** Whether answers are judged (`shadow`) and whether the judgment may come before them (`enforce`). */
      mode: z.enum(["off", "shadow", "enforce"]).default("shadow"),
      thresholds: z
        .object({
          /** Least share of a question's terms, by rarity, that the evidence must hold. */
          coverage: z.number().min(0).max(1).default(0.25),
          /** Least cosine of the best passage where an embedding model is in use; null leaves it unasked. */
          cosine: z.number().min(-1).max(1).nullable().default(null),
          /** Least confidence of an answer without reservation; null takes the calibration's. */
          confidence: z.number().min(0).max(1).nullable().default(null),
          /** Confidence below which an enforcing gate abstains instead of answering. */
          floor: z.number().min(0).max(1).default(0.1)
        })
        .prefault({}),
      /**
       * Sentences of a chat model that no source supports: `show` leaves the answer as it was written and each claim
       * with its status; `withhold` leaves them out, counts them and says how many. Null is `show`.
       */
      unsupported: z.enum(["show", "withhold"]).nullable().default("show"),
      /**
       * Thesaurus files by language, in MyThes form, which the check of claims asks beside its own word lists; names of
       * files in the thesaurus folder of the host.
       */
      thesaurus: z
        .object({
          en: ThesaurusFile.optional(),
          de: ThesaurusFile.optional(),
          fr: ThesaurusFile.optional(),
          es: ThesaurusFile.optional(),
          ru: ThesaurusFile.optional()
        })
        .prefault({}),
      /** Most answers without reservation that may be wrong (alpha), at this confidence (1 - delta); null asks for none. */
      risk: z
        .object({ alpha: z.number().min(0.001).max(0.5), delta: z.number().min(0.001).max(0.5) })
        .nullable()
        .default(null),
      /** Types of relations that sentences are read for, by rules and by a model; null takes the built-in list. */
      relationTypes: z
        .array(z.string().regex(/^[a-z][a-z0-9_]{0,119}$/u))
        .max(100)
        .nullable()
        .default(null),
      /** Decisions keep the text of their questions, which is personal data; without it a hash stays. */
      keepQuestions: z.boolean().default(true)
    })
    .prefault({}),
  /** Who reads what people asked. */
  privacy: z
    .object({
      /** `own`: only the person who asked. `workspace`: holders of `workspace:admin` as well. */
      questions: z.enum(["own", "workspace"]).default("own")
    })
    .prefault({}),
  /** How answers are worded where a question does not say otherwise; none of it lifts a check. */
  answers: z
    .object({
      instructions: Wishes.nullable().default(null),
      /** The language of every answer; null answers in that of the question. */
      language: LanguageTag.nullable().default(null),
      /** Such as "formal". */
      tone: Text.trim().min(1).max(200).nullable().default(null)
    })
    .prefault({}),
  /**
   * Whether answers are given again: `on`; or only compared with those that are made anew, which shows how often that
   * would have been wrong: `shadow`.
   */
  cacheMode: z.enum(["off", "shadow", "on"]).default("shadow"),
  caps: z
    .object({
      /** Maximum spend of the workspace's agents and evaluation runs in a month, in US dollars. */
      agentSpendUsd: UsdText.default("100"),
      /** Agent runs that may be active at once. */
      activeRuns: z.int().min(1).max(10_000).default(8),
      /** Rows and bytes of one execution of a named query; what is more is cut off. */
      dataRows: z.int().min(1).max(1_000_000).default(1_000),
      dataBytes: z.int().min(1024).max(268_435_456).default(5_242_880),
      /** How long a named query may run. */
      dataTimeoutMs: z.int().min(1).max(3_600_000).default(10_000)
    })
    .prefault({}),
  /** Who may read which documents, beside what is set for single ones. */
  access: z
    .object({
      /** Lists of readers by path; of several that match, the one with the longest pattern counts. */
      folders: FolderRules.default([])
    })
    .prefault({}),
  /** How rows of live databases stand beside documents. */
  data: z
    .object({
      /** Authority of rows where they disagree with a page; `certified` rows rank with certified documents. */
      standing: z.enum(["asserted", "curated", "certified"]).default("curated")
    })
    .prefault({}),
  /** Limits of one agent run; `minutes` are wall-clock time. */
  budgets: z
    .object({
      steps: z.int().min(1).max(10_000).default(20),
      tokens: z.int().min(1).max(1_000_000_000).default(100_000),
      costUsd: UsdText.default("1"),
      minutes: z.int().min(1).max(10_080).default(10),
      /** Tool calls of one reply of the model that are carried out. */
      callsPerTurn: z.int().min(1).max(256).default(32)
    })
    .prefault({}),
  models: ModelChoices.extend({
    /** The built-in extractive model may answer when there is no other or the other is down. */
    fallbackToExtractive: z.boolean().default(true),
    /** False: no model answers, neither the host's nor the built-in one, until one is chosen. */
    chatEnabled: z.boolean().default(true),
    prices: ModelPrices.default({})
  }).prefault({}),
  /** MCP servers whose tools agents may be given, by name. */
  mcpServers: McpServers.default({})
})
export type Settings = z.infer<typeof Settings>

/** A tenant with its settings, each filled in with its default. */
export const Workspace = z.object({ id: WorkspaceId, name: z.string().min(1).max(200), settings: Settings })
export type Workspace = z.infer<typeof Workspace>
