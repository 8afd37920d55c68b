/** What an agent can ask a customer about. */
export type CustomerTopic = keyof typeof topicWords;

/** What an agent can ask a customer to do: the names of the customer's tools. */
export type CustomerAction = keyof typeof actionWords;

/** What a customer understands of a message. */
export interface Understood {
  readonly topics: readonly CustomerTopic[];
  readonly actions: readonly CustomerAction[];
  /** The agent asks for agreement. */
  readonly isProposal: boolean;
  /** The agent asks whether there is anything else. */
  readonly asksForMore: boolean;
  /** The agent asks for something, but the customer does not know what. */
  readonly isUnclear: boolean;
}

/**
 * Understands a message by topics, not by wording. Only sentences that ask for something count: with a question mark,
 * with a word such as "please" or "need", or as an entry of a list below such a sentence. In each, the words of topics
 * and actions are looked for. A sentence such as "Shall I …?" asks for agreement, unless it is an open question, and
 * so does every other question with yes or no for an answer that names no topic.
 */
export function understand(message: string): Understood {
  const topics = new Set<CustomerTopic>();
  const actions = new Set<CustomerAction>();
  let isProposal = false;
  let asksForMore = false;
  let isUnclear = false;
  for (const { sentence, before } of requestsIn(message)) {
    const asked = namesOf(actionWords, sentence);
    const named = topicsOf(sentence, before).filter((topic) => asked.length === 0 || !seenAtRouter.has(topic));
    const isOpen = openQuestion.test(sentence) && named.length > 0;
    if (moreWords.test(sentence)) asksForMore = true;
    else if (strongProposal.test(sentence) && !isOpen && asked.length === 0) isProposal = true;
    else if (named.length > 0 || asked.length > 0) {
      for (const topic of named) topics.add(topic);
      for (const action of asked) actions.add(action);
    } else if (weakProposal.test(sentence)) isProposal = true;
    else isUnclear = true;
  }
  return { topics: [...topics], actions: [...actions], isProposal, asksForMore, isUnclear };
}

/** The sentences of a message that ask for something, with the sentence before each. */
function requestsIn(message: string): { sentence: string; before: string }[] {
  let isList = false;
  return sentencesOf(message)
    .map((sentence, index, all) => ({ sentence, before: all[index - 1] ?? "" }))
    .filter(({ sentence }) => {
      const isEntry = /^(?:[-*•]|\d+[.)])/.test(sentence);
      const isRequest = sentence.includes("?") || requestWords.test(sentence) || (isEntry && isList);
      if (!isEntry) isList = isRequest;
      return isRequest;
    });
}

const requestWords =
  /\b(please|kindly|could you|can you|would you|will you|may i|tell me|give me|let me know|provide|confirm|share|spell|state|i(?:'ll| will)? need|we need|i(?:'d| would) like to know|try to|go and|have a look|take a look)\b/i;
const moreWords =
  /\b(anything|something|what) (else|more|further)\b|\bany (other|further|more|additional) (question|request|concern|issue|help|problem)|\bis (that|this) (all|everything)\b/i;
/** A question that yes and no do not answer. */
const openQuestion = /\b(or|which|what|when|where|why|how|who|whose)\b/i;
const strongProposal =
  /\b(shall (i|we)|should (i|we)|do you want (me|us) to|would you like (me|us) to|would you like to (go ahead|proceed|continue|accept|do that)|do you (still )?want to (go ahead|proceed|continue|cancel|do that|accept)|do you (agree|accept|consent|approve)|(is|would) (that|this|it)( be)? (ok|okay|all ?right|fine|acceptable|good)|are you (ok|okay|happy|fine|comfortable) (with|to)|(may|can|could) (i|we) (go ahead|proceed|do that|make|book|cancel|change|charge|order|place|set)|do i have your|ready to proceed|want to proceed|go ahead with|interested in|would you prefer (a|the) pause|how does (that|this) sound|does (that|this) (work|suit|sound))\b/i;
const weakProposal =
  /\b(confirm|agree(ment)?|proceed|go ahead|accept|ok|okay|consent)\b|^(?:[^?]*,\s*)?(and |so |then |now )?(would|do|does|did|is|are|can|could|may|shall|should|will|have|has|want)\b[^?]*\?/i;

/** Long sentences are cut, so that a hostile one costs little. */
function sentencesOf(message: string): string[] {
  return message
    .split(/\n+|(?<=[.?!])\s+/)
    .map((each) => each.trim().slice(0, 500))
    .filter(Boolean);
}

/** An open question without a topic is about that of the sentence before, as in "… instalments. How many?" */
function topicsOf(sentence: string, before: string): CustomerTopic[] {
  const own = namesOf(topicWords, sentence);
  const named = own.length === 0 && openQuestion.test(sentence) ? namesOf(topicWords, before) : own;
  const isNew = (topic: CustomerTopic) => newOf[topic] !== undefined && named.includes(newOf[topic]);
  return named.filter((topic) => !isNew(topic));
}

/** A question for the new address is not one for the address on the account. */
const newOf: Partial<Record<CustomerTopic, CustomerTopic>> = {
  email: "new_email",
  phone: "new_phone",
  postcode: "new_postcode",
};

/** What the customer shows by doing what it is asked for. */
const seenAtRouter: ReadonlySet<CustomerTopic> = new Set<CustomerTopic>(["symptom", "placement"]);

/** The keys whose pattern matches, in the order in which the sentence has them. */
function namesOf<Name extends string>(patterns: Readonly<Record<Name, RegExp>>, sentence: string): Name[] {
  return (Object.keys(patterns) as Name[])
    .map((name) => ({ name, at: sentence.search(patterns[name]) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at)
    .map(({ name }) => name);
}

const topicWords = {
  name: /\b(your|full|account holder'?s?|the) name\b|\bwho am i (speaking|talking)\b|\bwho is (calling|speaking)\b/i,
  role: /\baccount holder\b(?!'?s? name)|\b(calling|acting) (for|on behalf)\b|\bauthori[sz]ed\b|\bare you the\b|\bwhose account\b/i,
  customer_id: /\b(customer|account|client) (number|id|no\.?)\b/i,
  new_email:
    /\bnew (e-?mail|address\b(?=.*e-?mail))|\be-?mail[^?]*\b(new|instead|change|replace|switch)|\b(change|update|replace)[^?]*\be-?mail/i,
  email: /\be-?mail\b/i,
  new_phone:
    /\bnew (tele)?(phone|mobile|number)|\bphone[^?]*\b(new|instead|change)|\b(change|update)[^?]*\b(phone|mobile)/i,
  phone: /\b(tele)?phone number\b|\bmobile\b|\bnumber (we|i) can (reach|call)\b|\bphone\b/i,
  new_postcode:
    /\b(new|future|next) (post ?code|zip|address|home|flat|place)|\bwhere[^?]*\b(mov(e|ing)|go|going)\b|\bmov(e|ing) to\b/i,
  postcode: /\bpost(al)? ?code\b|\bzip\b/i,
  birth_date: /\bbirth ?(date|day)?\b|\bdate of birth\b|\bborn\b|\bdob\b/i,
  card: /\b(last|final) (four|4)\b|\b(?<!(identity|id) )card\b|\b(four|4) digits\b/i,
  order: /\border (numbers?|ids?|no\.?)\b|\bwhich orders?\b|\bwhat did you order\b|\bwhich (product|item|device)s?\b/i,
  invoice: /\bwhich (invoice|bill|month|item|charge)s?\b|\binvoice (numbers?|ids?|no\.?)\b|\bwhat (charge|item)\b/i,
  line: /\bwhich (line|connection|address|location|one|of (the|your) lines)\b|\bline number\b/i,
  symptom:
    /\bwhat (exactly )?(happens|is wrong|is happening|is the (problem|issue))\b|\bdescribe\b|\bsymptoms?\b|\ball (of your )?devices\b|\bwi-?fi (only|or)\b|\bevery device\b|\bwhat (kind of )?(problem|issue)\b|\bwhich devices?\b/i,
  since: /\bsince when\b|\bwhen did\b|\bhow long (has|have|is)\b|\bwhen was\b/i,
  placement:
    /\bwhere[^?]*\brouter\b|\brouter[^?]*\b(located|placed|stand|kept|position|location)|\bclosed (place|space)\b|\bcupboard\b|\bplacement\b/i,
  reason: /\bwhy\b|\breason\b|\bwhat makes you\b|\bmay i ask what\b/i,
  absence:
    /\bhow long (will|would|are|do) you\b|\bhow many months\b|\b(away|absent|absence|abroad)\b[^?]*\blong\b|\bwhen (will|do) you (return|come back)\b|\btemporar/i,
  end_date:
    /\b(which|what) (day|date)[^?]*\b(end|last|cancel|stop|service)|\bwhen (should|would|do|shall)[^?]*\b(end|stop|cancel|terminate)|\b(end|last|cancellation) (date|day)\b|\blast day\b/i,
  slot: /\bslots?\b|\b(which|what) (day|date|time)s?[^?]*\b(suit|work|prefer|visit|technician|convenient|good|best)|\bwhen (would|could|can|should)[^?]*\b(technician|visit|come)|\bmorning\b[^?]*\bafternoon\b|\bwhen (are|would) you\b[^?]*\b(home|free|available)/i,
  delivery:
    /\bdeliver(y|ed)?\b[^?]*\b(home|pick-?up|where|address|prefer|like)|\bpick-?up\b|\bship\b|\bwhere[^?]*\bdeliver/i,
  condition: /\bopened\b|\bunopened\b|\bsealed\b|\bdefective\b|\bfaulty\b|\bcondition\b|\boriginal packag|\bused\b/i,
  plan: /\b(which|what) (plan|speed|tariff|package)\b|\bhow fast\b|\bspeed do you\b|\bwhich of (these|the) plans\b/i,
  budget:
    /\bbudget\b|\bhow much (do|would|can|are|could) you\b|\bprice (limit|range)\b|\bspend\b|\bprice (do|would) you\b/i,
  instalments: /\binstal+ments?\b|\bhow many (payments|months|parts)\b|\bspread\b/i,
  channel:
    /\bprefer(red)?[^?]*\b(contact|letter|channel|email or)|\bhow (should|shall|would|do)[^?]*\b(contact|reach|write)/i,
  product:
    /\bwhich (model|router)\b|\bx2\b[^?]*\bx3\b|\b(which|what) (mesh|product)\b|\bhow many\b[^?]*\b(mesh|points?|routers?)\b/i,
  use: /\bwhat (do|will|would) you (use|do|need)\b|\bwhat[^?]*\buse (it|the|your) (for|internet|connection)\b|\bhow do you use\b|\bwork from home\b/i,
} satisfies Record<string, RegExp>;

const actionWords = {
  check_lights: /\b(lights?|leds?|lamps?)\b/i,
  check_power:
    /\bpower (cable|cord|plug|strip|supply|adapter|socket|outlet|switch|button)\b|\b(check|make sure|verify|see)\b[^?]*\b(has|have|the|gets?|getting) power\b|\bcheck the power\b|\bswitched on\b|\bplugged (in )?(to|into) (the )?(mains|power|outlet)/i,
  plug_in_cable: /\b(?<!power )cables?\b|\bplug (it|the (line|wire|connector)) in\b|\bfirmly (in|plugged|connected)\b/i,
  restart_router:
    /\b(re-?start|re-?boot|power[- ]?cycl)|\b(turn|switch|power)(ing)?\b[^?]*\boff\b[^?]*\bon\b|\bunplug\b[^?]*\b(router|power|seconds|wait)/i,
  press_wifi_button: /\bwi-?fi (button|switch|key)\b|\b(press|turn|switch|enable|activate)\b[^?]*\bwi-?fi\b/i,
  move_router:
    /\b(move|take|bring|put|place|relocate|reposition)\b[^?]*\b(router|it)\b[^?]*\b(out|open|elsewhere|outside|table|higher|somewhere|away|another)|\bmove (the|your) router\b/i,
  reset_router: /\bfactory\b|\b(?<!re)reset\b/i,
  run_speed_test: /\bspeed ?-?tests?\b|\b(measure|test|check)\b[^?]*\bspeed\b/i,
} satisfies Record<string, RegExp>;
