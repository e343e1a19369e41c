import { type ListedRelations, listedRelations } from "./listed-relations.js"

/** Words of handbooks and news that WordNet does not relate in their common senses. "!" stands between opposites. */
const pairs = `
statute law | specify state | citizen people | invoke call | execute run | introduce launch | issue problem |
common widespread | existing current | user client | power authority | admin administrator | config configuration |
repo repository | app application | doc document | docs documentation | info information | setting option |
setting preference | parameter argument | folder directory | bug error | bug fault | fault failure | incident outage |
ticket issue | invoice bill | staff personnel | staff employee | worker employee | manager supervisor |
vendor supplier | provider supplier | purchaser buyer | contract agreement | salary pay | vacation leave |
allowance entitlement | terminate end | submit send | send dispatch | receive get | show display | monitor watch |
verify check | validate verify | inspect check | approve authorise | approve sign-off | mandatory required |
obligatory required | compulsory required | voluntary optional | rule regulation | policy rule | policy guideline |
guideline guidance | manual guide | handbook guide | number amount | fee charge | discount rebate | rebate reduction |
refund reimburse | reimburse repay | car automobile | lorry truck | aircraft plane | flat apartment | lift elevator |
petrol gasoline | mobile cellphone | laptop notebook | delete remove | remove erase | insert add | construct build |
manufacture make | generate create | generate produce | modify change | amend modify | adjust change |
replace exchange | swap replace | repair fix | resolve fix | restart reboot | pause suspend | resume continue |
retain keep | store save | store keep | duplicate copy | fast rapid | quick rapid | big large | primary main |
principal primary | essential necessary | adequate enough | entire complete | whole complete | several multiple |
several various | frequently regularly | usually typically | usually generally | approximately about |
around about | nearly about | immediately promptly | currently now | presently now | formerly previously |
earlier previously | previously before | later afterwards | subsequently later | annually yearly | annual yearly |
hazardous dangerous | hazard risk | danger risk | illness sickness | illness disease | medication medicine |
drug medication | shop store | residence home | inhabitant resident | nation country | battle fight |
defeat beat | conquer defeat | establish found | establish create | form create | journey trip | film movie |
author writer | pupil student | teacher instructor | study research | investigate study | find discover |
locate find | detect find | show demonstrate | reveal show | indicate show | announce declare | notify inform |
inform tell | describe depict | explain describe | name call | known called | consider regard | goal aim |
objective aim | purpose objective | cause lead | result outcome | consequence result | influence affect |
increase grow | reduce lower | reduce cut | decline decrease | drop decrease | restrict limit | contain include |
comprise include | comprise contain | exclude omit | use employ | utilise use | apply use | aid help | assist help |
support help | recommend advise | suggest propose | select choose | pick choose | decide determine |
response answer | reply answer | request ask | occur happen | event incident | job task | duty responsibility |
role function | capability ability | skill ability | department division | branch office | office bureau |
headquarters main-office | firm company | company business | enterprise company | meeting session |
attendee participant | visitor guest | owner proprietor | tenant occupant | individual person | seize capture |
purchase buy | obtain get | acquire obtain | cost price | value worth | revenue income | earnings income |
profit gain | funding money | borders boundary | region area | zone area | district area | site location |
place location | position location | close near | nearby near | adjacent neighbouring | remain stay | reside live |
depart leave | arrive come | return back | start begin | launch start | initiate start | finish complete |
conclude end | expire end | cease stop | halt stop | permit allow | enable allow | prohibit ban | forbid ban |
deny refuse | reject refuse | decline refuse | attempt try | endeavour attempt | require need | demand require |
desire want | speak talk | big sizeable | tall high | broad wide | strong powerful | influential powerful |
famous well-known | renowned famous | prominent important | significant important | vital essential |
crucial essential | original first | initial first | final last | newest latest | recent new | modern contemporary |
old ancient | elderly old | wealthy rich | complex complicated | simple easy | difficult hard | correct right |
incorrect wrong | wrong false | error mistake | sign signature | proof evidence | component part | element part |
portion part | section part | piece part | kind type | sort type | category class | way method | approach method |
procedure process | technique method | rate speed | pace speed | time period | era period | phase stage |
step stage | schedule timetable | plan scheme | project scheme | quit leave | hire recruit | employ hire |
dismiss fire | resign quit | promote advance | train teach | instruct teach | master main |
login sign-in | log-in sign-in | logout sign-out | password passphrase | credential login | upload send |
download fetch | retrieve fetch | fetch get | query request | endpoint address | host server |
deploy release | release publish | rollout release | version release | upgrade update | patch fix |
backup copy | snapshot copy | encrypt encipher | log record | record document | register enrol | report describe |
allow ! forbid | enable ! disable | include ! exclude | accept ! reject | open ! closed | read ! write |
input ! output | upload ! download | import ! export | encrypt ! decrypt | buyer ! seller | lender ! borrower |
employer ! employee | inbound ! outbound | incoming ! outgoing | internal ! external | upstream ! downstream |
public ! private | mandatory ! optional | required ! optional | minimum ! maximum | before ! after |
login ! logout | start ! stop | push ! pull | credit ! debit | gain ! loss | arrival ! departure |
weekday ! weekend | increase ! decrease | rise ! fall | win ! lose | attach ! detach | install ! uninstall |
lock ! unlock | mount ! unmount | active ! inactive | valid ! invalid | online ! offline | sender ! recipient |
cheap ! expensive | safe ! unsafe | front ! rear | manual ! automatic | temporary ! permanent`

let read: ListedRelations | undefined

/** Relations of listed English words by their base forms, read on first use. */
export const englishRelations = (): ListedRelations => {
  read ??= listedRelations(pairs, (word) => word)
  return read
}
