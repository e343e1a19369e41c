/**
 * Words of English by what they say in a statement or question. `function` and `pronouns` are words, `synonyms` groups of
 * words and `antonyms` pairs; the others are alternatives of a pattern, in which `\b` and `\w` hold for every script.
 */
export const en = {
  function: `a an the this that these those some any each every all both such same other another there here i me
    my mine we us our ours you your yours he him his she her hers it its they them their theirs one
    ones oneself who whom whose what which when where why how whether is are was were be been being am
    do does did doing done have has had having can could will would shall should may might must ought
    need let lets get gets got and or but nor so if then than as at by for from in into of on onto off
    out over to up with within without about against between through during before after above below
    under again further not no nor only own too very just also please tell me give show explain
    describe s t d ll re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn
    shouldn something anything someone anyone somebody anybody everyone everybody everything since
    until till`,
  pronouns: `he she it they his her its their him them this that these those such there`,
  synonyms: `holiday vacation leave pto | salary pay wage remuneration compensation |
    buy purchase procure acquire bought | start begin commence launch began begun |
    end finish terminate stop conclude | allow permit authorise authorize | forbid prohibit ban disallow |
    require need must necessary mandatory | employee staff worker colleague people | work employ |
    boss manager supervisor | customer client | company organisation organization firm enterprise |
    email e-mail mail | phone telephone tel | maximum max | minimum min | average avg | quantity qty | laptop notebook computer | author writer write written wrote |
    create make build made built | delete remove erase | change modify alter amend update |
    fix repair correct resolve | big large | fast quick rapid | help support assist assistance |
    rise increase grow raise gain rose risen grew grown |
    fall decrease decline drop reduce lower shrink fell fallen | choose select pick elect chose chosen |
    aim goal objective purpose | live reside | found founder establish set-up |
    owner own responsible accountable | contact reach | reimburse refund repay | travel trip journey |
    illness sick sickness ill | fire dismiss lay-off | hire recruit employ | meeting call | deadline due |
    office site location | retain keep store preserve kept | error failure fault | guideline policy rule |
    renew prolong extend | cancel revoke | valid validity expire expiry | valid last |
    discount rebate reduction | loan lend lent borrow | outage downtime | frequently often regularly |
    win won winner | lead led leader head | run ran | take took taken | give gave given | hold held |
    meet met | send sent | teach taught teacher | sell sold seller | yearly annual annually |
    monthly month | weekly week | daily day | cost price fee charge pay paid | heavy weigh weight mass |
    tall height high | deep depth | wide width | fly flies flew flown | try tries | dry dries |
    bring brought | spend spent | lose lost | speak spoke spoken | drive drove driven |
    break broke broken | wear wore worn | know knew known | show shown | think thought | tell told |
    become became | catch caught | fight fought | throw threw thrown | draw drew drawn | hide hid hidden |
    freeze froze frozen | strike struck | steal stole stolen | sink sank sunk | eat ate eaten |
    understand understood`,
  antonyms: `first last | largest smallest | biggest smallest | longest shortest | highest lowest | higher lower |
    greater smaller | larger smaller | longer shorter | older younger | newer older | newest oldest |
    north south | northern southern | east west | eastern western | left right | internal external |
    inner outer | inside outside | public private | valid invalid | early late | earlier later |
    won lost | with without | true false | strong weak | fast slow | faster slower | rich poor |
    same different | possible impossible | legal illegal | upper lower | majority minority | best worst |
    better worse | positive negative | import export | imports exports | input output | buy sell |
    bought sold | upload download | encrypt decrypt | encrypted unencrypted | signed unsigned | odd even |
    least most | fewest most | manual automatic | manually automatically | temporary permanent |
    temporarily permanently | local remote | hot cold | full empty | read write | easy difficult |
    cheap expensive | cheaper dearer | common rare | present absent | direct indirect |
    synchronous asynchronous | mutable immutable | active inactive | online offline | secure insecure |
    visible invisible | visible hidden | compatible incompatible | complete incomplete |
    connected disconnected | attached detached | armed disarmed | engaged disengaged |
    operational inoperative | reversible irreversible | accessible inaccessible | eligible ineligible |
    correct incorrect | running stopped | started stopped | occupied vacant | public confidential |
    domestic foreign | domestic abroad | domestic international | national international |
    inbound outbound | incoming outgoing | weekdays weekends | summer winter | morning evening |
    daily weekly | weekly monthly | monthly yearly | more fewer | more less`,
  past: "was|were|had|did|used to|formerly|previously|originally|no longer",
  present: "is|are|am|has|have|since|costs|as of",
  now: "now|currently|today|nowadays|at present|presently",
  ended: "until|till|formerly|previously|used to|no longer|before (?:that|then|this)",
  all: "all|every|each|entire|whole",
  some: "some|many|most|several|few|various|certain|numerous|majority|nearly all|almost all|half|mainly",
  invariably: "always|invariably|constantly",
  usually:
    "often|usually|sometimes|generally|typically|frequently|occasionally|mostly|normally|largely|rarely",
  must: "must|shall|required|mandatory|has to|have to",
  may: "may|might|could|can|should|optional|recommended",
  only: "only|solely|exclusively|nothing but",
  condition: "when|whenever|if|unless|as soon as|once|provided",
  newest: "next|last|latest|most recent(?:ly)?|newest",
  placed:
    "in|at|on|near|under|below|above|behind|between|beside|inside|outside|next to|opposite|into|onto|to|from|upstairs|downstairs|here|there",
  priced: String.raw`\p{L}*fees?|prices?|\p{L}*costs?|charges?|rates?|tariffs?|free|gratis`,
  frequency:
    "every|each|daily|nightly|hourly|weekly|fortnightly|monthly|quarterly|yearly|annually|once|twice|never|always|constantly",
  howOften: "how (?:often|frequently)",
  howLong: "how long",
  howOld: "how old",
  noDenial:
    "no (?:more|less|fewer|later|earlier|longer|greater|higher|lower) than|not (?:more|less|fewer|later|earlier) than|not (?:only|just|merely)|nothing but|no matter",
  up: String.raw`increas\w*|ris(?:e|es|en|ing)|rose|grow\w*|grew|rais(?:e|es|ed|ing)|gain\w*|climb\w*`,
  down: String.raw`decreas\w*|fall|falls|fell|fallen|falling|drop\w*|declin\w*|reduc\w*|lower(?:s|ed|ing)?|shr[aiu]nk\w*`,
  before: "before|prior to",
  after: "after|following",
  least: String.raw`at least|minimum|minimal|min\.|no (?:fewer|less) than|more than`,
  most: String.raw`at most|maximum|maximal|max\.|no more than|up to|less than|fewer than`,
  above: String.raw`above|over|exceed\w*`,
  below: "below|under",
  allowed: String.raw`allow\w*|permit\w*|authori[sz]\w*`,
  forbidden: String.raw`forbid\w*|forbidden|prohibit\w*|disallow\w*|banned|denied`,
  enabled: String.raw`enabl\w*|activat\w*`,
  disabled: String.raw`disabl\w*|deactivat\w*`,
  open: "open(?:s|ed)?",
  closed: "closed?|closes|shut",
  always: "always",
  never: "never",
  included: String.raw`includ\w*`,
  excluded: String.raw`exclud\w*`,
  accepted: String.raw`accept\w*|approv\w*`,
  refused: String.raw`reject\w*|refus\w*`,
  mandatory: "mandatory|required|obligatory",
  optional: "optional|voluntary",
  success: String.raw`success\w*|succeed\w*`,
  failure: "fail(?:s|ed|ure|ing)?"
}

/** Lists of words, which are no patterns. */
type List = "function" | "pronouns" | "synonyms" | "antonyms"
/** Topic of a word list; English has all topics, another language those that it needs. */
export type Topic = Exclude<keyof typeof en, List>
/** The words of a language without blanks between words. */
export type UnspacedWords = Partial<Record<Topic, string>>
/** The words of a language with blanks. */
export type Words = UnspacedWords & Readonly<Record<List, string>>
