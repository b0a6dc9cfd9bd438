import type { SpokenForm } from '../port/index.ts';

const { raw } = String;

/** “a cat”, “two cats”, “3 cats”; not “the”, “my” or “this”, which mean something that was seen elsewhere. */
const some = raw`(?:an?|another|some|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})`;
const measured =
  '(?:[一两兩二三四五六七八九十几幾\\d]{1,2}|半)?(?:只|隻|副|张|張|幅|个|個|条|條|座|朵|棵|匹|头|頭|位|名|群|片|辆|輛|艘|架|把|束|杯|碗|间|間|栋|棟|套|组|組|对|對|双|雙|枚|颗|顆|支|段|部|场|幕)';

/** A list of keywords for a drawing: “sunset, oil painting”. */
const styled = raw`[^.!?\n]*[,，、][^,，、]*(?:photo-?realistic|photograph|photo|watercolou?r|oil painting|pixel art|(?:concept|digital|line|vector) art|anime|cartoon|comic|manga|woodcut|vibes?|low poly|isometric|3d render|cinematic|4k|8k|portrait|wallpaper|logo|poster|illustration|style\b|水彩|油画|油畫|像素|动漫|二次元|写实|卡通|插画|水墨|赛博朋克|海报|壁纸|风格)`;

/** What is drawn in a manner of speaking. */
const figurative = raw`(?:conclusions?|comparisons?|distinctions?|parallels?|analog(?:y|ies)|inferences?|lessons?|lots|attention|breath|blood|blanks?|salary|pension|boundar(?:y|ies)|inspiration|criticism|contrast|connections?|proof|outline|argument|idea|strategy|roadmap|contract)`;

/** Up to the first preposition, participle or comma. */
const nounPhrase = raw`(?:(?!(?:of|in|on|at|with|over|under|by|from|for|near|and|\w{2,30}ing|\w{2,30}ed)\b)[^\s,.]+\s+){0,5}?`;
/** “a train leaves Chicago”: after “a”, a later word in -s is a verb rather than a noun. */
const clause = raw`an?\s+[^\s,.]+\s+${nounPhrase}\w{1,30}(?<![sui])s\s+\S`;
/** What's imagined in thought. */
const thought = raw`(?:worlds?|universe|society|future|past|life|lifetime|day|week|year|time|moment|scenario|situation|case|reality|economy|democracy|government|law|job|company|business|startup|team|project|customer|client|user|boss|friend|colleague|student|patient|person|people|man|woman|reader|buyer|leader|player|number|list|array|function|database|server|system|program|app|language|question|problem|game|story|conversation|dialogue|interview|debate|theory|experiment|place|way|reason|particle|train|spaceship|elevator|ladder|rope|hotel|prisoner|planet|country|city|village|island|school|product|character|creature|species|religion|ocean|room|box|door|hallway)s?\b`;

const picture = raw`(?:pictures?|images?|photos?|drawings?|paintings?|illustrations?|sketch(?:es)?|artworks?|portraits?|wallpapers?|posters?|icons?|logos?|stickers?|pics?)`;
/** One of them that's nothing else: no system image, and no title either. */
const aPicture = raw`an?\s+(?:(?:nice|cute|funny|cool|beautiful|simple|detailed|realistic|photo-?realistic|watercolou?r|oil|pencil|ink|pixel art|digital|cartoon|anime|fantasy|co[sz]y|colou?rful|black and white|minimalist|cinematic|vintage|retro)\s+){0,2}(?:picture|image|photo|drawing|painting|illustration|sketch|artwork|wallpaper|poster|sticker|pic)`;
const pictureZh = '(?:图片|图像|照片|插画|插图|海报|壁纸|头像|水彩画|油画|漫画|图|画|圖|畫)';
const film = raw`(?:videos?|clips?|animations?|films?|movies?)`;
const filmZh = '(?:视频|視頻|短片|动画|影片)';
const make = raw`(?:make|create|generate|produce|render|film|shoot|animate)\s+(?:(?:me|us)\s+)?`;
const makeZh = '(?:生成|做|制作|製作|创作|創作|设计|設計|拍|来|來|弄|剪)';
const aFewWords = raw`(?:[^\s,.?!:]+\s+){0,4}?`;
/** What was seen elsewhere. */
const known = raw`(?:(?:the|his|her|their|this|that|these|those|it|me|us|him|them)\b)`;
/** One word to three of a thing: “lighthouse”, “tiny red house”. */
const aThing = raw`(?:(?!(?:of|in|on|at|with|over|under|by|from|for|near|and|around|inside|between|without)\b)[\p{L}'-]+\s+){0,2}(?!(?:of|in|on)\b)[\p{L}'-]+`;

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
    order: raw`^${aPicture}(?:\s+(?:of|showing|depicting)\s+(?:${some}\s|${styled})|\s*[:：]\s*\S)`,
    unless: raw`^\S+\s+${aFewWords}${picture}\s+of\s+${some}\s+${aFewWords}${thought}`,
  },
  // Without a verb it may be a title: “Portrait of a Lady on Fire”.
  { begins: raw`(?=${picture}\s+of\s)`, order: raw`^\w+\s+of\s+${styled}` },
  // “image: nginx” is configuration.
  { begins: raw`${picture}\s*[:：]\s*`, order: raw`^(?:an?\s|${styled})` },
  { begins: raw`[画畫]\s*[:：]\s*`, order: '^' },
  { begins: raw`[图圖]\s*[:：]\s*`, order: `^${measured}` },
  {
    begins: raw`draw\s+(?:(?:me|us)\s+)?`,
    order: raw`^(?:(?:an?|another)\s|${styled})`,
    unless: raw`^an?\s+(?:\w+\s+)?(?:sword|blade|dagger|knife|gun|pistol|weapon|bow|crowd|bath|pint|curtain|blind)s?\b`,
    phrase: raw`^(?:(?:an?|the|any|some|your|my|our|more|further)\s+)?(?:\w+\s+)?${figurative}\b|^(?:up|on|upon|from|out|in|near|back|away|off|for|between|with|to|and|or|is|was)\b`,
  },
  {
    begins: raw`(?=(?:paint|sketch)\s+(?:(?:me|us)\s+)?${some}\s)`,
    order: raw`^\w+\s+(?:(?:me|us)\s+)?(?:an?|another)\s`,
    unless: raw`\b(?:walls?|fences?|rooms?|ceilings?|doors?|cars?|bathroom|kitchen|furniture|cabinets?)\b`,
    phrase: raw`^\w+\s+(?:(?:me|us)\s+)?${some}\s+${aFewWords}${figurative}\b`,
  },
  {
    // Thought problems begin like scenes (“a hotel with …”), so it's one thing, or something about it is for the eye.
    order: raw`^(?:an?\s+\p{Extended_Pictographic}|(?:an?|another)\s+${aThing}[.!~～\s]{0,5}$|${styled}|(?:an?|another)\s[^.!\n]*\b(?:wearing|dressed|sleeping|napping|dancing|surfing|smiling|hugging|feeding)\b|${measured})`,
    unless: raw`^(?:${some}\s+${aFewWords}${thought}|${clause})|\b(?:my|your|our|without)\s|\bwith\s+(?:no|only|unlimited|infinite)\s|软件|軟件|技巧|方法|工具|入门|课程|网站|比赛|作业|快捷键|板子|世界|社会|未来`,
    phrase: raw`^(?:(?:you|i|we|he|she|they|it|there)(?:'\w+)?|yourself|that|if|how|what|why|when|where|not|dragons|my surprise|\w{2,30}ing)\b`,
  },
  {
    begins: `[画畫绘繪](?:制|製)?(?:一下)?(?=${measured}[^\\s，。]|[一两兩]${measured})`,
    order: '^',
    phrase: `^${measured}(?:大?饼|句号|问号|等号)`,
  },
  {
    begins: `${makeZh}(?=${madeZh(pictureZh)})`,
    order: `^${measured}(?:[^，。：:？?\\n]{0,60}?(?:图片|照片|插画|插图|壁纸|头像|水彩画|油画)|[^，。：:？?\\n]{0,60}?的[图圖画畫]|[图圖画畫])(?:[吧。！!~～]{0,3}$|[，,：:\\s])`,
  },
  // “生成一张水墨风格的黄山日出”: what comes in sheets is mostly a picture, also without the word.
  {
    begins: '(?:生成|创作|創作)(?=[一两兩][张張幅][^\\s，。])',
    phrase: '^[一两兩][张張幅][^，。\\n]{0,20}(?:表|单|單|票|证|證|试卷|問卷|问卷|网页|二维码|名片|床|桌|椅)',
  },
  // An option or a colon makes it an order.
  { begins: raw`想象(?:[:：]\s*|\s+|(?=\p{Script=Han}))`, phrase: '^(?:一下|不到|力|中)' },
];

/**
 * How people ask for a video in a message. It's the dearest, so without a slash, an option, or its name with a colon, its
 * person is always asked.
 */
export const videoForms: readonly SpokenForm[] = [
  {
    begins: `${make}(?=${made(film, 'about|featuring')})`,
    order: raw`^${made(film, 'about|featuring')}\s*(?!${known})`,
    isAskedFirst: true,
  },
  // “Movies of the nineties” are there to be watched.
  {
    begins: raw`(?:videos?|clips?|animations?|film|movie)\s+(?:clip\s+)?(?:of|showing)\s+`,
    order: `^(?!${known})`,
    isAskedFirst: true,
  },
  {
    begins: raw`(?:videos|clips?|animations?|視頻|短片|动画|影片)\s*[:：]\s*`,
    order: '^',
    isAskedFirst: true,
  },
  // So is “Movie: The Matrix”.
  { begins: raw`(?=(?:films?|movies?)\s*[:：]\s*${some}\s)\w+\s*[:：]\s*`, order: '^', isAskedFirst: true },
  {
    order: raw`^(?:${some}\s(?=.{0,100}\b\w{2,15}ing\b)|${measured})`,
    phrase: raw`^(?:games?|gaming|calls?|chats?|conferenc\w+|editing|editors?|essays?|files?|formats?|codecs?|cards?|quality|tutorials?|keeps?|is|are|was|were|has|have|can|does|isn't|or|and|vs|killed|not|won't|doesn't)\b`,
    isAskedFirst: true,
  },
  {
    begins: `${makeZh}(?=${madeZh(`(?:短|小)?${filmZh}`)})`,
    order: '^',
    isAskedFirst: true,
  },
];

const languages = raw`(?:english|chinese|mandarin|cantonese|french|german|spanish|japanese|korean|italian|russian|portuguese)`;
/** What may be wanted of a text besides a voice. */
const workZh =
  '总结|總結|翻译|翻譯|改写|润色|分析|解释|解釋|概括|评价|修改|代码|技巧|方法|训练|比赛|软件|教程|看法|区别|區別|赏析|鉴赏|作用|用法|感受';

/** Nothing but what stands in quotation marks. */
const quotation = '["“「][^"“”「」]{1,2000}["”」][.!。！\\s]{0,5}$';
const greetingZh = '(?:大家好|你好|早上好|晚上好|晚安|欢迎|生日快乐|新年快乐)';

/** How people ask for a clip in a message. */
export const speakForms: readonly SpokenForm[] = [
  {
    begins: raw`read\s+(?:(?:this|the following|it)\s+)?(?:aloud|out loud|out)(?:\s+(?:for|to)\s+(?:me|us|everyone|everybody))?\s*[:：]\s*`,
    order: '^',
    isReadOut: true,
  },
  {
    begins:
      '(?:用语音)?(?:朗读|朗讀|念|唸|读|讀)(?:一下|一遍|一句|出来)?(?:(?:下面)?(?:这|這)?一?[段句首篇](?:话|話|文字|文章|诗|詩)?)?\\s*[:：]\\s*',
    order: '^',
    unless: workZh,
    isReadOut: true,
  },
  { begins: '(?:用语音)?(?:说|說)(?:一句)?\\s*[:：]\\s*', order: '^', unless: workZh, isReadOut: true },
  { begins: '用语音(?:说|說|念|读)(?:一句|一下)?\\s*', order: `^${quotation}`, isReadOut: true },
  {
    begins: '(?:朗读|朗讀)\\s+',
    order: raw`^(?:${quotation}|${greetingZh}(?:$|[^\p{L}])|\p{Script=Han}[^，。！\n]*[，。！])`,
    unless: workZh,
    isReadOut: true,
  },
  // In other messages that begin so, the words of an answer will do.
  { begins: raw`say\s+`, isNeverUnsure: true },
  {
    // “Speak Dutch” is about the answers, so it's what people say to each other, or in quotation marks.
    order: raw`^(?:${quotation}|(?:(?:hello|hi|hey|goodbye|welcome|thanks|thank you|congratulations|congrats|well done|ladies and gentlemen|good\s+(?:morning|afternoon|evening|night|day|luck|game))(?:\s+(?:everyone|everybody|all|team|there|folks|friends|guys|world|back|again))?\s*|${greetingZh})(?:$|[^\p{L}\s])|welcome\s+to\s+(?:the|our|my)\s(?:[\p{L}'-]{1,30}\s){0,5}[\p{L}'-]{1,30}[,.!]|(?:happy\s+(?:birthday|new year|holidays|anniversary)|merry\s+christmas)(?:$|[\s,.!]))`,
    unless: raw`\bin\s|\bfor me\b|^(?:hello|hi|hey)\s+to\b`,
    phrase: raw`^(?:(?:in\s+)?${languages}|in\s+(?:public|tongues|riddles|an?|my|your)|to|with|of|up|for|about|on|out|as|like|at|from|when|if|so|not|no|only|more|less|now|soon|easy|ill|well of|again|the|my|your|his|her|our|their|its|one's|volumes|truth|friend|louder|slower|faster|softer|clearer|\w{1,30}ly)\b|^\S+(?:\s+\S+)?\s+(?:please|pls)$|\bfrom\s+(?:now|here)(?:\s+on)?\b`,
    isReadOut: true,
  },
];
