// The console page loads this file in the browser: it imports nothing from outside this folder.

/**
 * One way in which people give a command in a message without a slash. The patterns are sources of regular expressions,
 * because the console’s page gets them as JSON; they're tried on lower case with plain apostrophes.
 */
export interface SpokenForm {
  /** How the message begins, such as `draw` or `make a video of`. Absent: with the command's name. */
  readonly begins?: string;
  /** How what follows goes on where it's plainly an order, unless {@link intentOf} finds a question in it. */
  readonly order: string;
  /** How it goes on where it could be either all the same: “imagine a world …”. */
  readonly unless?: string;
  /** How it goes on where it's plainly none: “draw a conclusion”, “video games”. */
  readonly phrase?: string;
  /** What follows is read out, so whole sentences are fine in it. */
  readonly isReadOut?: true;
  /** The same words begin too many sentences to ask about each: it's an order or none. */
  readonly isNeverUnsure?: true;
}

/** What a message wants that begins like a command: the command, or plain words; `unsure` could be either. */
export type Intent = 'order' | 'unsure' | 'question';

/** Words of a question, or of somebody in trouble. What has one of these buys nothing. */
const asks = [
  /\b(?:what|what's|whats|why|whose|anyone|anybody|tell me|explain|recommend|help me|suggest)\b/u,
  /\b\w+n't\b|\b(?:cannot|dont|doesnt|isnt|wont|cant|not working|not loading|broken|help|error|crashes|crashed|keeps?|stuck)\b/u,
  /\bhow (?:do|does|did|to|can|could|much|many|long|about|come)\b|\bany (?:ideas?|thoughts|tips|advice)\b|\bcosts?\b/u,
  /[吗嗎呢么麼](?:[\s，。,.!！?？～~…]|$)/u,
  /什么|甚麼|什麼|怎么|怎麼|怎样|怎樣|怎办|如何|为什么|為什麼|为何|為何|为啥|是啥|咋|干嘛|哪|谁|誰|多少|多久|多大|多长|几[个张秒分点]/u,
  /是不是|能不能|会不会|可不可以|好不好|有没有|有沒有|要不要|是否|打不开|求助|推荐|教程|费用|价格|积分|报错|失败|坏了/u,
];

/** Words that make a clause of what would otherwise be the description of a scene. */
const tells = [
  /\b(?:i|i'm|i'd|i'll|i've|you|you're|you'd|yours|u|we|we're|he|she|they|they're|it's|that's|there|there's)\b/u,
  /\b(?:is|are|am|was|were|has|have|had|does|do|did|can(?! of\b)|could|will|would|should|shall|must|may|might)\b/u,
  /\b(?:went|got|came|became|said|told|sent|took|won|knew|began|happened|died|means|works|needs|says|makes|gets|goes|takes|wants|happens|becomes|starts|stops)\b/u,
  /\b(?:how|who|whom|which|where|when|whenever|that|if|because|since|but|although|than|not|never|already|yet|anymore)\b/u,
  /[.!;:\n]\s{0,3}(?:describe|explain|write|discuss|list|name|calculate|compute|prove|show|find|solve|summari[sz]e|compare|now|then|next|please|tell|give)\b/u,
  /[你您我咱]|很难|太难|挺难|不难|容易|需要|要花|的时候|時候|应该|應該|必须|可以|不能|无法|不会|而已|就是|意思|有趣|不如|因为|如果|所以|但是/u,
];

const questionMark = /[?？]/u;
/** Only its last character is one. */
const onlyAtEnd = /^[^?？]*[?？]+\s*$/u;
/** What stands in quotation marks, or is an address, asks nothing. */
const quotedOrAddress = /"[^"]{0,2000}"|“[^“”]{0,2000}”|「[^「」]{0,2000}」|https?:\/\/\S+/gu;
/** Courtesies behind what's asked for. */
const thanks =
  /(?:[\s,，.!。！]{0,3}(?:thank you(?: so much| very much)?|thanks(?: a lot)?|thx|ty|please|pls|plz|谢谢你?|谢啦|多谢|拜托))(?:[\s!！.。~～]{0,5})$/u;
/** What a polite request may end with: 吗 or a question mark. */
const politeEnd = /[吗嗎么麼]?[?？]{0,5}$/u;

/**
 * Judges what follows the beginning of a form. Only an `order` may cost credits without a further question, so whatever
 * doesn't look plainly like one isn't.
 *
 * @param rest what follows
 * @param isPolite “can you …”: an order in the form of a question, so never more than `unsure`
 */
export function intentOf(form: SpokenForm, rest: string, isPolite = false): Intent {
  const request = plain(rest).replace(thanks, '');
  const text = isPolite ? request.replace(politeEnd, '') : request;
  const is = (pattern: string | undefined) => pattern !== undefined && new RegExp(pattern, 'u').test(text);
  if (is(form.phrase)) return 'question';
  const unsure = form.isNeverUnsure ? 'question' : 'unsure';
  const bare = text.replace(quotedOrAddress, '');
  const isOrder = is(form.order) && !is(form.unless) && (form.isReadOut === true || !hasOne(tells, bare));
  if (hasOne(asks, bare)) return form.isReadOut && isOrder ? unsure : 'question';
  if (questionMark.test(bare)) return isOrder && onlyAtEnd.test(bare) ? unsure : 'question';
  if (isOrder) return isPolite ? 'unsure' : 'order';
  // “Can you imagine” is said of anything.
  return isPolite && form.begins === undefined ? 'question' : unsure;
}

/** Whether what follows a name and a colon may ask something, or show an address: else that is always the command. */
export function mayAsk(rest: string): boolean {
  if (/^\s*https?:\/\//i.test(rest)) return true;
  const bare = plain(rest).replace(quotedOrAddress, '');
  return questionMark.test(bare) || hasOne(asks, bare);
}

function hasOne(signs: readonly RegExp[], text: string): boolean {
  return signs.some((sign) => sign.test(text));
}

function plain(text: string): string {
  return text.trim().toLowerCase().replaceAll('’', "'");
}
