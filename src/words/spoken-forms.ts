import type { SpokenForm } from '../port/index.ts';

const { raw } = String;

/** “a cat”, “two cats”, “3 cats”; not “the”, “my” or “this”, which mean something that was seen elsewhere. */
const some = raw`(?:an?|another|some|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})`;
const measured =
  '(?:[一两兩二三四五六七八九十几幾\\d]{1,2}|半)?(?:只|隻|副|张|張|幅|个|個|条|條|座|朵|棵|匹|头|頭|位|名|群|片|辆|輛|艘|架|把|束|杯|碗|间|間|栋|棟|套|组|組|对|對|双|雙|枚|颗|顆|支|段|部|场|幕)';

/** A list of keywords for a drawing: “sunset, oil painting”. */
const styled = raw`[^.!?\n]*[,，、]\s*[^,，、]*(?:photo-?realistic|photograph|photo|watercolou?r|oil painting|pixel art|(?:concept|digital|line|vector) art|anime|cartoon|comic|manga|woodcut|low poly|isometric|3d render|cinematic|4k|8k|portrait|wallpaper|logo|poster|illustration|style\b|水彩|油画|油畫|像素|动漫|二次元|写实|卡通|插画|水墨|赛博朋克|海报|壁纸|风格)`;

/** What is drawn in a manner of speaking. */
const figurative = raw`(?:conclusions?|comparisons?|distinctions?|parallels?|analog(?:y|ies)|inferences?|lessons?|lots|attention|breath|blood|blanks?|salary|pension|boundar(?:y|ies)|inspiration|criticism|contrast|connections?|proof|outline|argument|idea|strategy|roadmap|contract)`;
/** What may be meant as a picture, as text, or in a manner of speaking. */
const ambiguous = raw`(?:diagram|chart|flow ?chart|graph|table|tree|timeline|mind ?map|structure|curve|circuit|ascii|uml|wireframe|schema|triangle|function|venn|line|curtain|blind|bath|plan|picture|profile)s?`;
const ambiguousZh =
  '(?:大?饼|句号|问号|等号|重点|分界线|底线|红线|界线|圈|叉|勾|线|流程图|表格?|思维导图|示意图|架构图|时序图|类图|函数|曲线|图表|甘特图|拓扑图|原型|图像)';

/** Up to the first preposition, participle or comma. */
const nounPhrase = raw`(?:(?!(?:of|in|on|at|with|over|under|by|from|for|near|and|\w{2,30}ing|\w{2,30}ed)\b)[^\s,.]+\s+){0,5}?`;
/** “a train leaves Chicago”: after “a”, a later word in -s is a verb rather than a noun. */
const clause = raw`an?\s+[^\s,.]+\s+${nounPhrase}\w{1,30}(?<![sui])s\s+\S`;
/** What's imagined in thought. */
const thought = raw`(?:worlds?|universe|society|future|past|life|lifetime|day|week|year|time|moment|scenario|situation|case|reality|economy|democracy|government|law|job|company|business|startup|team|project|customer|client|user|boss|friend|colleague|student|patient|person|number|list|array|function|database|server|system|program|app|language|question|problem|game|story|conversation|dialogue|interview|debate|theory|experiment|place|way|reason|triangle|circle|sphere|particle|train|coin|dice?|deck|planet|country)s?\b`;

const picture = raw`(?:pictures?|images?|photos?|drawings?|paintings?|illustrations?|sketch(?:es)?|artworks?|portraits?|wallpapers?|posters?|icons?|logos?|stickers?|pics?)`;
const pictureZh = '(?:图片|图像|照片|插画|插图|海报|壁纸|头像|水彩画|油画|漫画|图|画|圖|畫)';
const film = raw`(?:videos?|clips?|animations?|films?|movies?)`;
const filmZh = '(?:视频|視頻|短片|动画|影片)';
const make = raw`(?:make|create|generate|produce|render|film|shoot|animate)\s+(?:(?:me|us)\s+)?`;
const makeZh = '(?:生成|做|制作|製作|创作|創作|设计|設計|拍|来|來|弄|剪)';
const aFewWords = raw`(?:[^\s,.?!:]+\s+){0,4}?`;
/** What was seen elsewhere. */
const known = raw`(?:(?:the|his|her|their|this|that|these|those|it|me|us|him|them)\b)`;

/** “a picture of …”, “an image: …”: what's made, and what it shows. */
const made = (what: string, shows: string) =>
  raw`${some}\s+${aFewWords}${what}(?:\s+(?:of|showing|${shows})\s|\s*[:：])`;
/** “一张猫的图片”, “一段视频：…”. */
const madeZh = (what: string) =>
  `${measured}[^，。：:？?\\n]{0,60}?${what}(?:[吧。！!~～]{0,3}$|[，,：:\\s])`;

/** How people ask for an image in a message. */
export const imagineForms: readonly SpokenForm[] = [
  {
    begins: `${make}(?=${made(picture, 'depicting')})`,
    order: raw`^${made(picture, 'depicting')}\s*(?!${known})`,
  },
  { begins: raw`(?=${picture}\s+of\s)`, order: raw`^\w+\s+of\s+(?:${some}\s|${styled})` },
  { begins: raw`(?:${picture}|[画畫图圖])\s*[:：]\s*`, order: '^' },
  {
    begins: raw`draw\s+(?:(?:me|us)\s+)?`,
    order: raw`^(?:(?:${some}|my|our)\s|${styled})`,
    unless: raw`^\w+\s+${aFewWords}${ambiguous}\b|^an?\s+(?:random\s+)?(?:card|name|number|winner|straw)s?\b`,
    phrase: raw`^(?:(?:an?|the|any|some|your|my|our|more|further)\s+)?(?:\w+\s+)?${figurative}\b|^(?:up|on|upon|from|out|in|near|back|away|off|for|between|with|to|and|or|is|was)\b`,
  },
  {
    begins: raw`(?=(?:paint|sketch)\s)`,
    order: raw`^\w+\s+(?:(?:me|us)\s+)?${some}\s`,
    unless: raw`^\w+\s+(?:(?:me|us)\s+)?${some}\s+${aFewWords}(?:${figurative}|${ambiguous})\b`,
    isNeverUnsure: true,
  },
  {
    order: raw`^(?:${some}\s|${styled}|\p{Script=Han})`,
    unless: raw`^(?:${some}\s+${aFewWords}${thought}|${clause})|\b(?:my|your|our|without)\s|\bwith\s+(?:no|only|unlimited|infinite)\s|软件|軟件|技巧|方法|工具|入门|课程|网站|比赛|作业|快捷键|板子`,
    phrase: raw`^(?:(?:you|i|we|he|she|they|it|there)(?:'\w+)?|yourself|that|if|how|what|why|when|where|not|dragons|my surprise|\w{2,30}ing)\b`,
  },
  {
    begins: `[画畫绘繪](?:制|製)?(?:一下)?(?=${measured}[^\\s，。]|[一两兩]${measured})`,
    order: '^',
    unless: raw`${ambiguousZh}(?:$|[^\p{Script=Han}])`,
    phrase: `^${measured}(?:大?饼|句号|问号|等号)`,
  },
  { begins: `${makeZh}(?=${madeZh(pictureZh)})`, order: '^' },
  // An option or a colon makes it an order.
  { begins: raw`想象(?:[:：]\s*|\s+|(?=\p{Script=Han}))`, order: '^(?!)', phrase: '^(?:一下|不到|力|中)' },
];

/** How people ask for a video in a message. */
export const videoForms: readonly SpokenForm[] = [
  {
    begins: `${make}(?=${made(film, 'about|featuring')})`,
    order: raw`^${made(film, 'about|featuring')}\s*(?!${known})`,
  },
  { begins: raw`${film}\s+(?:clip\s+)?(?:of|showing)\s+`, order: `^(?!${known})` },
  { begins: raw`(?:videos?|clips?|animations?|${filmZh})\s*[:：]\s*`, order: '^' },
  // “Movie: The Matrix” is there to be watched.
  { begins: raw`(?=(?:films?|movies?)\s*[:：]\s*${some}\s)\w+\s*[:：]\s*`, order: '^' },
  {
    order: raw`^(?:${some}\s(?=.{0,100}\b\w{2,15}ing\b)|${measured})`,
    phrase: raw`^(?:games?|gaming|calls?|chats?|conferenc\w+|editing|editors?|essays?|files?|formats?|codecs?|cards?|quality|tutorials?|keeps?|is|are|was|were|has|have|can|does|isn't|or|and|vs|killed|not|won't|doesn't)\b`,
  },
  { begins: `${makeZh}(?=${madeZh(`(?:短|小)?${filmZh}`)})`, order: '^' },
];

const languages = raw`(?:english|chinese|mandarin|cantonese|french|german|spanish|japanese|korean|italian|russian|portuguese)`;

/** How people ask for a clip in a message. */
export const speakForms: readonly SpokenForm[] = [
  {
    begins: raw`read\s+(?:(?:this|the following|it)\s+)?(?:aloud|out loud|out)\s*[:：]\s*`,
    order: '^',
    isReadOut: true,
  },
  {
    begins:
      '(?:用语音)?(?:朗读|朗讀|念|唸|读|讀|说|說)(?:一下|一遍|一句|出来)?(?:(?:这|這|下面)[^：:，。\\s]{0,6})?\\s*[:：]\\s*|用语音(?:说|說|念|读)(?:一句|一下)?\\s*',
    order: '^',
    isReadOut: true,
  },
  // In other messages that begin so, the words of an answer will do.
  { begins: raw`say\s+`, order: '^(?!)', isNeverUnsure: true },
  {
    order: '^',
    phrase: raw`^(?:(?:in\s+)?${languages}|in\s+(?:public|tongues|riddles|an?|my|your)|to|with|of|up|for|about|on|out|as|like|at|from|when|if|so|not|no|only|more|less|now|soon|easy|ill|well of|again|the|my|your|his|her|our|their|its|one's|volumes|truth|friend|louder|slower|faster|softer|clearer|\w{1,30}ly)\b|^\S+(?:\s+\S+)?\s+(?:please|pls)$`,
    isReadOut: true,
  },
];
