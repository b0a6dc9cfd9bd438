import type { Phrasebook } from './english.ts';

/** The sandbox's Chinese texts. */
export const chinese: Phrasebook = {
  intro: '**这里是沙盒**：运行在你自己电脑上的聊天服务替身。它对世界一无所知，但回答的方式与真正的服务相同。',
  shortIntro: '（沙盒）',
  suggestions:
    '可以试试：“写一个五百字的故事”“用 Python 写一段代码”“做一个 8 行的表格”“写一篇包含各种格式的长文”“我叫什么名字？”，或者说“帮助”，看看哪些词会让我故意出错。',
  anyTopic: '这个问题',
  space: '',
  fullStop: '。',
  slots: {
    aspect:
      '它的由来|它的花费|使用它的人|所需的工具|最初的五分钟|可能出错的地方|衡量它的方法|它的边界|最小的例子|没人提起的部分',
    quality:
      '简单的|起初很慢的|容易检验的|值得再看一眼的|比看上去更古老的|比预想便宜的|见仁见智的|说来难、做来易的',
    person: '初学者|细心的读者|工程师|老师|赶时间的人|老手',
    action: '把它写下来|先试最小的情形|问问朋友|量两遍再动手|放上一天|画一张图|从结尾重新开始|大声说出来',
    hero: '小满|老陈|守灯塔的人|一个叫阿文的女孩|最年轻的飞行员',
    other: '一个陌生人|她的哥哥|会说话的乌鸦|面包师|疲倦的机器人',
    place: '在港口边|在桥下|在末班车上|在空荡荡的图书馆里|在地图的尽头',
    thing: '一把铜钥匙|一封没有署名的信|半张地图|一盏熄不灭的灯|一扇很小的门',
  },
  sentences: [
    '要理解{topic}，不妨先看{aspect}。',
    '{person}很快会发现，{topic}是{quality}。',
    '一旦弄清了{aspect}，{topic}的其余部分就显得是{quality}。',
    '对{topic}有疑问时，最好{action}。',
    '把{aspect}和{aspect}分开来看会有帮助。',
    '关于{aspect}，人们说得很多；至于它是不是{quality}，说得却很少。',
    '对{person}来说，{aspect}比什么都重要。',
    '通常的建议是{action}，而这个建议通常是对的。',
    '{topic}有两面：一面是{aspect}，另一面是其余的一切。',
    '实际上，就{aspect}而言，{topic}是**{quality}**。',
    '{person}会说：{action}，然后再看看{aspect}。',
    '先比较{aspect}与{aspect}，*{action}*，再做决定。',
  ],
  storyBeginnings: ['很久以前，{hero}{place}发现了{thing}。', '{hero}第一次听说{topic}的时候，天正下着雨。'],
  storyEvents: [
    '第二天，{other}想看看{thing}，却不肯说为什么。',
    '“{action}吧，”{other}说，“到时候一切都会是{quality}。”',
    '{hero}一直走到天亮，心里想着{topic}。',
    '{place}，{thing}就放在最不该放的地方。',
    '他们{place}等着，聊起了{aspect}。',
    '这时灯灭了，有人{place}唱起歌来。',
  ],
  storyEndings: [
    '如果{thing}后来没有丢，它现在还{place}。',
    '从那以后，每逢下雨，{hero}就会{action}，然后微微一笑。',
  ],
  headings: ['从哪里开始', '细看一层', '需要什么', '实际做法', '疑问', '简短的历史', '下一步'],
  items: [
    '**首先：**{action}。',
    '想一想{aspect}，它是{quality}。',
    '请{person}来 `检查` 一下。',
    '不要忘了{aspect}。',
    '{action}，这是{quality}。',
  ],
  tableHead: ['项目', '数量', '占比', '评价'],
  tableItems: ['苹果', '桥梁', '钟表', '门窗', '引擎', '羽毛', '花园', '港口', '岛屿', '罐子'],
  verdicts: ['好', '尚可', '有待观察', '**最佳**', '欠佳', '`无`'],
  quotes: ['{action}，{topic}的其余部分自会跟上。', '在{person}试过之前，没有什么是{quality}。'],
  codeIntros: ['下面是一段可以运行的代码：', '写成代码更短：', '同样的意思，写成程序：'],
  emoji: [
    '😀 你好！👍🏽 不错，🎉 完成。一家人算一个字：👩‍👩‍👧‍👦，旗帜也是：🇨🇳 🇫🇷，还有 ❤️‍🔥。',
    '🚀 起飞，🌧️ 下雨，🧑🏿‍🚀 有人挥手，1️⃣ 2️⃣ 3️⃣。',
  ],
  hostile:
    '下面这些在你看到的地方都不应起作用：@everyone、@here、<@123456789012345678>、<!channel>、<script>alert(1)</script>、![图片](https://example.com/pixel.png)、[链接](javascript:alert(1))、||剧透||。',
  links: '一个链接：[示例](https://example.com/a?b=c&d=e)，一个裸链接：https://example.org/路径_含下划线 。',
  heard: (question) => `你问的是：“${question}”`,
  turn: (turn, earlier, name) =>
    `${name ? `${name}，` : ''}这是第 ${turn} 个问题。在此之前你问过：“${earlier}”`,
  recall: {
    name: (name) => `你叫**${name}**，这是你在这段对话里告诉我的。`,
    noName: '你在这段对话里还没有告诉我你的名字。先说“我叫……”，再问我一次。',
    last: (question) => `就在刚才，你问的是：“${question}”`,
    first: (question) => `在这段对话里，你最先问的是：“${question}”`,
    nothingBefore: '就我收到的对话来看，你之前还没有问过什么。',
    count: (turn, answers) => `在我收到的对话里，这是第 **${turn}** 个问题，之前回答过 ${answers} 个。`,
    summary: (lines) => `到目前为止你问过：\n\n${lines}`,
    niceToMeet: (name) => `很高兴认识你，**${name}**。过一会儿问我你叫什么，只要这段对话还在，我就答得上来。`,
  },
  help: (rows) => `我是沙盒：任何种类、任何长度的文字我都能写得规规矩矩，也能按你的吩咐出错。

**想看正常的回答**，可以要一个故事、一份清单、一个 12 行的表格、一段 Python 代码、200 行代码、表情、引用、标题、链接、各种格式、恶意内容、三千字，中文或英文都行。\`重复：……\` 会一字不差地说出后面的内容。你的名字、之前的问题和问题的个数，我从收到的对话里就知道。

**想看出错的情形**，把下面的指令放进问题、要朗读的文字，或图片和视频的提示词里：

| 词 | 会发生什么 |
| --- | --- |
${rows}

加上 \`once\`，例如 \`[[fail 503 once]]\`，就只在第一次发生。`,
};
