/**
 * Hooks and components for products that show answers, sources, runs and graphs of Kanon. They need only `/api/v1`
 * behind a proxy of the page's own origin. `kanon/react/style.css` makes components look right in a bare page.
 */
export { Answer, type AnswerProps, Citations } from "./answer.js"
export type { DecisionWords, RunDecision } from "./approval.js"
export { Citation, type CitationTarget, standingOf } from "./citation.js"
export { type GraphEdge, type GraphNode, GraphView, type GraphViewProps } from "./graph-view.js"
export type { Span } from "./marks.js"
export { KanonProvider, useKanon } from "./provider.js"
export { englishRun, RunTimeline, type RunWords } from "./run-timeline.js"
export { type HtmlOptions, renderHtml } from "./safe-html.js"
export { SourceView, type SourceViewProps } from "./source-view.js"
export { Composer, englishThread, Thread, type ThreadProps, type ThreadWords } from "./thread.js"
export { type Asked, type AskOutcome, type AskState, type AskTransport, useAsk } from "./use-ask.js"
export type { CallState } from "./use-call.js"
export { useDocument, useNeighborhood, useSearch } from "./use-reads.js"
export { type RunState, useRun } from "./use-run.js"
export { type ThreadOptions, type ThreadState, type ThreadTurn, useThread } from "./use-thread.js"
export type { CitedSource, QuotedClaim, RenderedDocument } from "./wire.js"
export { type AnswerWords, type CitationStanding, englishAnswer } from "./words.js"
