/**
 * Irregular English verbs and plurals, the base form first; Porter's stemmer leaves their forms apart. Missing on
 * purpose: forms that are mostly another word ("left", "ground", "wound", "bound", "bore", "rose", "lay", "saw").
 */
const families = `arise arose arisen|awake awoke awoken|become became|begin began begun|bend bent|bite bitten|bleed bled|
blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught|
choose chose chosen|cling clung|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|
flee fled|fling flung|fly flew flown|forbid forbade forbidden|foresee foresaw foreseen|forget forgot forgotten|
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go goes went gone|grow grew grown|hang hung|
hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lead led|leap leapt|learn learnt|lend lent|
lose lost|make made|mean meant|meet met|mislead misled|mistake mistook mistaken|outgrow outgrew outgrown|
overcome overcame|override overrode overridden|oversee oversaw overseen|overtake overtook overtaken|
overthrow overthrew overthrown|pay paid|prove proven|rebuild rebuilt|repay repaid|resell resold|rewrite rewrote rewritten|
ride rode ridden|ring rang rung|rise risen|run ran|say said|see seen|seek sought|sell sold|send sent|shake shook shaken|
shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|speak spoken|
spell spelt|spend spent|spill spilt|spin spun|spring sprang sprung|stand stood|steal stole stolen|stick stuck|
sting stung|strike struck stricken|strive strove striven|swear swore sworn|sweep swept|swell swollen|swim swam swum|
swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|
undergo underwent undergone|understand understood|undertake undertook undertaken|undo undid undone|uphold upheld|
wake woke woken|wear wore worn|weave wove woven|weep wept|win won|withdraw withdrew withdrawn|withhold withheld|
withstand withstood|write wrote written|
child children|criterion criteria|foot feet|goose geese|half halves|index indices|knife knives|loaf loaves|man men|
matrix matrices|mouse mice|ox oxen|phenomenon phenomena|shelf shelves|thief thieves|tooth teeth|vertex vertices|
wife wives|wolf wolves|woman women`

const bases: ReadonlyMap<string, string> = new Map(
  families.split(/\s*\|\s*/u).flatMap((family) => {
    const [base = "", ...forms] = family.split(" ")
    return forms.map((form) => [form, base] as const)
  })
)

/** Returns the base form of an irregular English form ("began" gives "begin"), otherwise the word itself. */
export const baseForm = (folded: string): string => bases.get(folded) ?? folded
