import type { Judgments } from "../../answers/measures/index.js"
import { groupBy } from "../../platform/kernel/index.js"
import type { Suite, Topic } from "./model.js"
import type { StoredJudgment } from "./store.js"

/** Groups the judgments of a set by topic, in the order of their query ids. */
export const topicsOf = (judgments: ReadonlyArray<StoredJudgment>): ReadonlyArray<Topic> =>
  [...groupBy(judgments, ({ queryId }) => queryId)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([queryId, ofTopic]) => ({
      queryId,
      query: ofTopic[0]?.query ?? "",
      judgments: ofTopic.flatMap(({ docId, grade, judge }) =>
        docId === null || grade === null ? [] : [{ docId, grade, judge }]
      ),
      answers: [...new Set(ofTopic.flatMap(({ answers }) => answers))],
      expectAbstain: ofTopic.some(({ expectAbstain }) => expectAbstain)
    }))

/** The topics that a suite asks: retrieval those with judged documents, answer those that have an answer. */
export const topicsFor = (
  suite: Suite,
  topics: ReadonlyArray<Topic>,
  { calibrate }: { readonly calibrate: boolean }
): ReadonlyArray<Topic> =>
  topics.filter((topic) => {
    if (suite === "retrieval") return topic.judgments.length > 0
    if (suite === "abstention" || calibrate) return true
    return !topic.expectAbstain
  })

export const gradesOf = ({ judgments }: Topic): Judgments =>
  new Map(judgments.map(({ docId, grade }) => [docId, grade]))
