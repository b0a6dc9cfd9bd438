// The console page loads this file in the browser: it imports nothing from outside this folder.

/**
 * One way in which people give a command in a message without a slash. The patterns are sources of regular expressions,
 * because the console’s page gets them as JSON; they're tried on lower case with plain apostrophes.
 */
export interface SpokenForm {
  /** How the message begins, such as `draw` or `make a video of`. Absent: with the command's name. */
  readonly begins?: string;
  /**
   * How what follows goes on where it's plainly an order, unless {@link intentOf} finds a question or work in it. Absent:
   * these words are never enough.
   */
  readonly order?: string;
  /** How it goes on where it could be either all the same: “imagine a world …”. */
  readonly unless?: string;
  /** How it goes on where it's plainly none: “draw a conclusion”, “video games”. */
  readonly phrase?: string;
  /** What it buys is dear: even a plain order is asked about, unless an option or its name with a colon makes it one. */
  readonly isAskedFirst?: true;
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

/** Signs that something other than a picture is meant: work for a program, a pencil and ruler, or a deck of cards. */
const otherThanPictures = [
  // Figures and symbols are for problems and code.
  /[{}<>=`\\|^$#_+*%°]|\d/u,
  // A second sentence tells what else is to be done.
  /[.!;。！；\n]\s{0,3}[\p{L}\p{N}]|…/u,
  // A scene goes on with “in a hat”, a means with “in LaTeX”.
  /\bfor (?!(?:me|us|our|my)\b)|\b(?:using|as|style of|riddle|puzzle|via|through|between|from|into|without|or|then|per|vs|versus|given|such|containing|consisting|connecting|representing|explaining|describing|summari[sz]ing|passing)\b/u,
  /\b(?:in|on|by)\s{1,5}(?!(?:an?|the|his|her|its|their|one|front|top|spring|summer|autumn|fall|winter|space|snow|rain|fog|bloom|love|fire|armou?r|watercolou?r|oil)\b)/u,
  /\bwith\s{1,5}(?!(?:an?|the|his|her|its|their|one|two|three|some|big|huge|tiny|long)\b|(?:[a-z-]{1,20}\s{1,5}){0,1}[a-z-]{1,20}(?<!s)s\b)/u,
  /\b(?:find|label|labell?ed|mark|calculate|compute|prove|probability|solve|solution|explain|describe|write|list|name|named|give|show|tell|compare|discuss|analy[sz]e|assume|suppose|determine|estimate|guess|translate|pick|choose|steps?|tutorial|example|meaning|lyrics|title|caption|(?<!no )text|prompt|script|essay|poem|story|infinite(?:ly)?|frictionless|equator|velocity|acceleration|mass|speed|random(?:ly)?|typical|average|ideal)\b/u,
  /\b(?:css|html|svg|latex|tikz|python|pygame|turtle|java|javascript|typescript|js|rust|scratch|swift\w{0,5}|flutter|react|canvas|opengl|webgl|unity|godot|matlab|matplotlib|plotly|excel|word|powerpoint|figma|photoshop|illustrator|blender|autocad|cad|ascii|unicode|code|program\w{0,5}|pixels?|sprites?|shaders?|docker|container|disks?|drives?|partition|iso|boot\w{0,6}|firmware|raspberry|sd|usb|ssd|vm|kernel|ubuntu|debian|linux|nginx|server|laptop|database|terminal|console|screens?|button|menu|form|page|web\w{0,5}|app|ui|layout|dashboard|object|class|node|network|system|model|architecture|component|process|pipeline|workflow|cycle)\b/u,
  /\b(?:diagram|chart|flow ?chart|graph|plot|histogram|table|tree|timeline|mind ?map|map|structure|curve|circuit|schematic|uml|wireframe|mockup|schema|function|venn|plan|floorplan|blueprint|schedule|calendar|profile|grid|circle|semicircle|square|rectangle|triangle|polygon|pentagon|hexagon|octagon|star|ellipse|oval|parabola|hyperbola|spiral|fractal|lines?|arc|arrow|angle|vector|axis|axes|cube|cuboid|sphere|cone|cylinder|prism|tangent|radius|diameter|perpendicular|parallel|bisector|symmetr\w{1,4}|ruler|protractor|molecule|atom|orbital|cell|lens|ray|force|pulley|pendulum|lever)s?\b/u,
  /\b(?:cards?|decks?|tarot|numbers?|winners?|straws?|tickets?|lottery|raffle|lots?|balls?|marbles?|beads?|urn|bag|samples?|tiles?|runes?|joker|ace|dice|die|coins?|teams?|pairs?|pieces?)\b/u,
  /饼|饼图|句号|问号|等号|重点|分界线|底线|红线|界线|圆|圈|叉|勾|线|表格?|导图|函数|坐标|图像|图表|原型|几何|三角|方形|矩形|多边形|椭圆|角形|立方|立体|长方|正方|角度|尺规|分子|原子|电路|受力|电场|光路|结构|界面|页面|框架|框图|字符|代码|程序|编程|脚本|分镜|文案|标题|提示词|步骤|台词|攻略/u,
  // 流程图, 时序图, 地图; not 一张图, 猫的图, 图书馆.
  /(?<![的张張幅个個副])[图圖](?![片书書案画畫])/u,
  /写出|列出|给出|并写|说明|解释|描述|介绍|分析|展示|接口|计算|求出|求它|证明|标出|标注|标明|总结|翻译|比较|举例|文字|数据|大纲|不好|表示|概率|教学|教我|简笔|一步|顺序|流程|规划|谚语|性格|笔|需要|塔罗|扑克|随机|抽/u,
];
/**
 * What people plainly want to see, as the first thing of a description, at the end of its noun phrase: “a tiny red fox in
 * …”, not “a fox hunting permit”. Whatever isn't here is asked about: a click is cheap, and no list of what isn't meant as a
 * picture is ever long enough.
 */
const subjects = [
  /^an?\s\p{Extended_Pictographic}/u,
  /^(?:[\p{L}'-]{1,20}\s{1,5}){0,5}?(?:cat|kitten|dog|puppy|corgi|shiba|husky|fox|wolf|bear|panda|koala|rabbit|bunny|hamster|hedgehog|squirrel|otter|capybara|raccoon|deer|moose|horse|pony|unicorn|pig|goat|sheep|llama|alpaca|camel|elephant|giraffe|zebra|lion|tiger|leopard|monkey|gorilla|sloth|kangaroo|penguin|owl|eagle|parrot|flamingo|peacock|swan|duck|chicken|raven|bird|whale|dolphin|shark|octopus|jellyfish|goldfish|crab|frog|toad|dragon|dinosaur|phoenix|snail|butterfly|knight|wizard|witch|elf|goblin|orc|fairy|mermaid|vampire|zombie|ghost|pirate|ninja|samurai|viking|princess|astronaut|cowboy|robot|cyborg|alien|superhero|clown|ballerina|girl|boy|keeper|castle|lighthouse|cottage|cabin|house|treehouse|windmill|temple|shrine|pagoda|cathedral|skyline|forest|jungle|mountain|volcano|waterfall|beach|meadow|garden|lake|sunset|sunrise|landscape|seascape|cityscape|galaxy|nebula|flower|rose|sunflower|bouquet|snowman|cake|cupcake|donut|pizza|teapot|lantern|boat|sailboat|ship|bicycle|motorcycle|tractor|logo|avatar|mascot|sticker|wallpaper)s?(?=$|[,.!~\s]{0,5}$|,|[^\p{L}\s,.'-]|\s{1,5}(?:[^\p{L}\s]|(?:in|on|at|with|of|over|under|above|below|behind|beside|near|next|for|made|dressed|instead|lol|\p{L}{2,15}ing)(?![\p{L}'])))/u,
  /^\P{L}{0,3}[\p{Script=Han}\w，,\s]{0,16}?(?:猫头鹰|狐狸|[兔狮猴]子|猫|貓|狗|犬|柯基|熊|兔|狐|狼|虎|狮|獅|龙|龍|凤凰|小鸟|鹤|鲸|海豚|水豚|骏马|白马|鹿|猴|企鹅|鸭|女孩|男孩|女生|男生|少女|少年|武士|骑士|宇航员|机器人|精灵|公主|王子|城堡|神社|灯塔|夜景|风景|山水|雪山|森林|大海|海边|海滩|海洋|星空|日落|日出|花|樱|街|小镇|飞船|头像|贺卡的图|山水画|logo)(?=$|[吧。！!~～，,\s]|[^\p{Script=Han}\w]|[在穿戴骑拿抱趴坐站喝吃睡飞跑看追]|的?(?:图片|照片|插画|壁纸|[图画](?:$|[吧。！!~～，,\s])))/u,
];
/** “a picture of a cat”: the cat is what's shown. */
const throughOf =
  /^(?:an?\s)?(?:[\p{L}-]{1,20}\s){0,4}?(?:pictures?|images?|photos?|drawings?|paintings?|illustrations?|sketch(?:es)?|artworks?|portraits?|wallpapers?|posters?|stickers?|pics?)(?:\s(?:of|showing|depicting)\s|\s?[:：]\s?)/u;
/** How a picture looks, which nobody says of anything else. */
const looks =
  /[,，、\s](?:photo-?realistic|watercolou?r|oil painting|pixel art|anime|woodcut|low poly|isometric|3d render|cinematic|(?:[\p{L}-]{1,20} )?(?:style|vibes)|[48]k\b|水彩|油画|油畫|像素|动漫|二次元|插画|水墨|赛博朋克)/u;

/** What follows a comma in a description of a picture in Chinese. */
const partsZh = /[，,]\s{0,3}(?:背景|要有|不要|上面|[^，,]{1,6}(?:色|色调|风格))/u;
const comma = /[,，]/u;

/** The words in Latin letters that a Chinese description of a picture has; others name tools and diagrams. */
const latinInChinese = /\b(?:logo|[qk]版|cg|ip|hd|q)(?![a-z])/gu;
const chinese = /\p{Script=Han}/u;
const latin = /[a-z]/u;

/** A longer one isn't plainly an order: the patterns of forms take time by the square of the length. */
const mostJudged = 1_000;

const questionMark = /[?？]/u;
/** Only its last character is one. */
const onlyAtEnd = /^[^?？]*[?？]+\s*$/u;
/** What stands in quotation marks, or is an address, asks nothing. */
const quotedOrAddress = /"[^"]{0,2000}"|“[^“”]{0,2000}”|「[^「」]{0,2000}」|https?:\/\/\S+/gu;
/** Courtesies behind what's asked for. */
const thanks =
  /(?:[\s,，.!。！]{0,3}(?:thank you(?: so much| very much)?|thanks(?: a lot)?|thx|ty|please|pls|plz|谢谢你?|谢啦|多谢|拜托))(?:[\s!！.。~～]|\p{Extended_Pictographic}){0,5}$/u;
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
  const judged = text.slice(0, mostJudged);
  const is = (pattern: string | undefined) => pattern !== undefined && new RegExp(pattern, 'u').test(judged);
  if (is(form.phrase)) return 'question';
  const unsure = form.isNeverUnsure ? 'question' : 'unsure';
  const bare = text.replace(quotedOrAddress, '');
  const isOrder = mayOrder(form, text) && (form.isReadOut === true || isScene(bare));
  // “朗读 什么是爱”: a question is as good to read out as anything.
  const mayReadOut = form.isReadOut && (isOrder || form.begins !== undefined);
  if (hasOne(asks, bare)) return mayReadOut ? unsure : 'question';
  if (questionMark.test(bare)) return isOrder && onlyAtEnd.test(bare) ? unsure : 'question';
  if (isOrder) return isPolite || form.isAskedFirst ? 'unsure' : 'order';
  // “Can you imagine” is said of anything.
  return isPolite && form.begins === undefined ? 'question' : unsure;
}

/** Whether what follows the beginning of a form goes on like an order, whatever else is in it. */
export function mayOrder({ order, unless }: SpokenForm, rest: string): boolean {
  const text = plain(rest);
  if (text.length > mostJudged) return false;
  const is = (pattern: string) => new RegExp(pattern, 'u').test(text);
  return order !== undefined && is(order) && !(unless !== undefined && is(unless));
}

/** Whether it does, and nothing else is in it, in a statement. */
export function statesOrder(form: SpokenForm, rest: string): boolean {
  const bare = plain(rest).replace(thanks, '').replace(quotedOrAddress, '');
  return !form.isAskedFirst && mayOrder(form, rest) && (form.isReadOut === true || isScene(bare));
}

/** Whether a text says nothing but how something looks. */
function isScene(text: string): boolean {
  const withoutSizes = text.replace(/\b(?:[23]d|[248]k)\b/gu, '');
  if (hasOne(tells, text) || hasOne(otherThanPictures, withoutSizes)) return false;
  // What follows a comma may be anything, unless it's about how it looks.
  const isSeen = looks.test(text) || partsZh.test(text);
  if (!isSeen && comma.test(text)) return false;
  if (!hasOne(subjects, withoutSizes.replace(throughOf, '')) && !looks.test(text)) return false;
  return !chinese.test(text) || !latin.test(withoutSizes.replace(latinInChinese, ''));
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

/** With runs of white space as one, so that no pattern tries over and over how to divide them. */
function plain(text: string): string {
  const words = text.trim().toLowerCase().replaceAll('’', "'");
  return words.replace(/\s+/gu, (space) => (space.includes('\n') ? '\n' : ' '));
}
